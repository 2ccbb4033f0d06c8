# completion: the scripts in the shells they are for. What is offered is compared with what --help says.
. "$SOURCE/lib.sh"
need zsh fish bash-completion
export LC_ALL=C.UTF-8 HOME="$WORK" XDG_CONFIG_HOME="$WORK/config" XDG_DATA_HOME="$WORK/data" TERM=dumb
run "$XFERSPY" completion; expect_status 2; expect_no_out; expect_err "bash, zsh or fish"
run "$XFERSPY" completion tcsh; expect_status 2; expect_no_out; expect_err "no completion for \`tcsh'"
run "$XFERSPY" completion bash zsh; expect_status 2; expect_no_out
for shell in bash zsh fish; do
    run "$XFERSPY" completion $shell; expect_status 0; expect_no_err
    cp stdout script.$shell
    run "$XFERSPY" completion $shell -o o.$shell; expect_status 0; expect_no_out
    cmp -s o.$shell script.$shell || show "-o differs"
done
# What a command completes, of --help: its options, and its own name in the list of commands.
"$XFERSPY" --help | sed -n '/^ Commands:/,/--help/s/^  \([a-z][a-z]*\) .*/\1/p' | sort -u >commands
grep -qx report commands && [ "$(wc -l <commands)" -ge 9 ] || show "no commands in --help"
options_of() { "$XFERSPY" "$1" --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z][a-z-]*\).*/--\2/p' | sort -u; }

mkdir "a folder" bin
ln -s "$XFERSPY" bin/xferspy
PATH=$WORK/bin:$PATH
export PATH
make_trace run.db "$SOURCE/fixtures/simple.sql"
cp "$GOLDEN/h100_wasteful.db" waste.db
cp run.db "a folder/in it.db"
echo text >notes.txt
"$XFERSPY" explain --format=tsv waste.db | tail -n +2 | cut -f 1 | sort >findings
grep -qx pageable findings || show "no findings"

# complete_in SHELL LINE: what is offered at the end of LINE, sorted, one a line, into `stdout`.
cat >in.bash <<'EOF'
source script.bash
[ -z "${WITHOUT_PACKAGE-}" ] && [ -r /usr/share/bash-completion/bash_completion ] && . /usr/share/bash-completion/bash_completion
IFS=$'\n' read -rd '' -a COMP_WORDS < <(grep -oE '=|[^ =]+' <<<"${1//\\ /$'\x01'}")
COMP_WORDS=("${COMP_WORDS[@]//$'\x01'/\\ }") COMP_LINE=$1 COMP_POINT=${#1}
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_xferspy xferspy "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}" | sed 's/=$//'
EOF
# The real completion system of an interactive shell, at whose end each match is printed.
cat >in.zsh <<'EOF'
zmodload zsh/zpty
zpty -b shell "zsh -f -i"
send() { zpty -w shell "$*"; }
send "PS1= PS2= RPS1= fpath=(\$PWD/zsh \$fpath); autoload -Uz compinit; compinit -u -d \$PWD/dump"
send "zstyle ':completion:*' list-colors ''; setopt no_list_beep zle; unsetopt list_ambiguous"
send 'compadd() { local -a found; local list=0 a
  for a; do [[ $a == -[ODA] || $a == -[a-zA-Z12]#[ODA] ]] && { builtin compadd "$@"; return }; done
  builtin compadd -O found "$@"; print -rl -- "MATCH "$^found >>|matches; builtin compadd "$@" }'
send 'finish() { compstate[list]= compstate[insert]= ; print DONE >|done }; compprefuncs=() comppostfuncs=(finish)'
send 'bindkey "^I" complete-word'
: >|matches
# Only once the line editor reads what is typed.
send 'zle-line-init() { print READY >|ready }; zle -N zle-line-init'
until [[ -e ready ]] || ((i++ > 60000)); do sleep 0.01; done
zpty -w -n shell "$1"$'\t'
until [[ -e done ]] || ((j++ > 60000)); do sleep 0.01; done
[[ -e done ]] || print -r -- "zsh completed nothing"
sed -n 's/^MATCH //p' matches
zpty -d shell
EOF
mkdir zsh; cp script.zsh zsh/_xferspy
complete_in() {
    step="$*"
    case $1 in
    bash) bash in.bash "$2" ;;
    zsh) rm -f ready done; zsh -f in.zsh "$2" ;;
    fish) fish --no-config -c 'source script.fish; complete -C "$argv[1]"' "$2" | cut -f 1 ;;
    esac 2>stderr </dev/null | sed 's:/$::; s/=$//' | sort -u >stdout
    status=0
}
offers() { for word in "$@"; do grep -qxF -e "$word" stdout || show "not offered: $word"; done; }
offers_only() { printf '%s\n' "$@" | sort -u | cmp -s - stdout || show "expected just: $*"; }

for shell in bash zsh fish; do
    $shell -n script.$shell || show "$shell does not read its script"
    complete_in $shell "xferspy "; offers_only $(cat commands)
    complete_in $shell "xferspy rep"; offers_only report
    complete_in $shell "xferspy help "; offers_only $(grep -vx help commands)
    for command in $(grep -vx help commands); do
        complete_in $shell "xferspy $command --"; offers_only $(options_of $command)
    done
    # Values.
    complete_in $shell "xferspy report --by s"; offers_only site stream
    complete_in $shell "xferspy report --color al"; offers_only always
    complete_in $shell "xferspy query --format "; offers_only table csv json tsv
    complete_in $shell "xferspy completion "; offers_only bash fish zsh
    case $shell in
    fish) before=--fingerprint= ;;
    *) before= ;;
    esac
    complete_in $shell "xferspy run --fingerprint=a"; offers_only ${before}auto ${before}all
    # Traces and folders, no other files; where the next word is no trace, what it is.
    complete_in $shell "xferspy report "; offers run.db waste.db bin; expect_not notes.txt
    complete_in $shell "xferspy report --by site run.db w"; offers_only waste.db
    complete_in $shell "xferspy report a\\ folder/"
    grep -q 'in.* it\.db$' stdout || show "nothing in a folder with a blank"
    complete_in $shell "xferspy report --output n"; offers_only notes.txt
    complete_in $shell "xferspy explain waste.db "; offers_only $(cat findings)
    complete_in $shell "xferspy explain --all missing.db "; [ ! -s stdout ] || show "findings of no trace"
    complete_in $shell "xferspy run --quiet --output=x.db xfers"; offers_only xferspy
    complete_in $shell "xferspy run --output x.db xferspy rep"; offers_only report
done
# Sourced, as in ~/.zshrc.
run zsh -f -c 'autoload -Uz compinit; compinit -u -d dump; source script.zsh; print -r -- $_comps[xferspy]'
expect_status 0; expect_no_err; offers_only _xferspy
# Without the package bash-completion, too.
export WITHOUT_PACKAGE=yes
complete_in bash "xferspy report --color=al"; offers_only always
complete_in bash "xferspy run xferspy n"; offers_only notes.txt
exit 0
