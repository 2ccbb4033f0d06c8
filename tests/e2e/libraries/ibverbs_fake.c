/* This library's name begins like that of a network card's library: a program that has it may have registered memory
 * with a card. */
__attribute__((visibility("default"))) int fake_is_there(void);
int fake_is_there(void) { return 1; }
