/* A library whose name begins as that of a network card's: whoever has it may have registered memory with a card. */
__attribute__((visibility("default"))) int fake_is_there(void);
int fake_is_there(void) { return 1; }
