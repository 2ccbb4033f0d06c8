/* The page's bytes, from the files that the bundler wrote; the assembler's -I says where they are. */
    .section .rodata.xs_html_page, "a", %progbits
    .global xs_html_head, xs_html_head_bytes, xs_html_tail, xs_html_tail_bytes
    .hidden xs_html_head, xs_html_head_bytes, xs_html_tail, xs_html_tail_bytes
    .balign 8
xs_html_head_bytes:
    .quad head_end - xs_html_head
xs_html_tail_bytes:
    .quad tail_end - xs_html_tail
xs_html_head:
    .incbin "head.html"
head_end:
xs_html_tail:
    .incbin "tail.html"
tail_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
