#!/usr/bin/env bash
# `queens browse` as a user drives it, in a real terminal under tmux: keys in, screen out.
#
#     tests/browse.sh [PROGRAM]
#
# Exits 77 where there is no tmux.
set -euo pipefail
program=$(realpath "${1:-target/release/queens}")
command -v tmux >/dev/null || { echo "skipped: tmux is needed"; exit 77; }

dir=$(mktemp -d)
export TMUX_TMPDIR=$dir
# A server of its own for each start: one that is being ended must not be met by the next.
starts=0
tmux=(tmux -L none)
trap '"${tmux[@]}" kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT

screen() { "${tmux[@]}" capture-pane -p -t queens; }
keys() { "${tmux[@]}" send-keys -t queens "$@"; }
# Waits until the screen shows a text; what it shows instead is what went wrong.
sees() {
    for _ in $(seq 100); do
        screen | grep -qF -- "$1" && { echo "ok: $2"; return; }
        sleep 0.1
    done
    echo "FAILED: $2: no '$1' on this screen:"
    screen
    exit 1
}
# Two texts must be the same.
same() {
    [ "$2" = "$3" ] && { echo "ok: $1"; return; }
    echo "FAILED: $1: '$2' instead of '$3'"
    exit 1
}
count() { screen | grep -oE "$1" | wc -l; }
# Starts the program in a shell of its own, which tells its exit code afterwards.
start() {
    local size=$1
    shift
    "${tmux[@]}" kill-server 2>/dev/null || true
    starts=$((starts + 1))
    tmux=(tmux -L "queens$starts" -f /dev/null)
    "${tmux[@]}" new-session -d -s queens -x "${size%x*}" -y "${size#*x}" -c "$dir" \
        "env TERM=screen-256color LANG=C.UTF-8 PS1='shell> ' bash --norc --noprofile"
    sees 'shell>' "a shell of $size"
    keys "clear; $(printf '%q ' "$program" "$@"); echo left \$? with \$(stty -a | grep -o ' -\\?icanon')" Enter
}

start 100x30 browse 8
sees '1 of 92' "the first solution with the count"
sees '15863724' "its digits"
sees '92 found in' "the time of the search"
sees 'Class of 8, fundamental' "the class"
same "eight queens are on the board" "$(count '♛')" 8
keys Right;        sees '16837425' "right goes on"
keys Left;         sees '15863724' "left goes back"
keys Left;         sees 'there is no such solution' "nothing is before the first"
keys End;          sees '84136275' "End goes to the last"
sees '92 of 92' "which is the 92nd"
keys PageUp;       sees '82 of 92' "a page back"
keys Home;         sees '1 of 92' "Home goes to the first"
keys 31;           sees 'number 31' "a number shows while it is typed"
keys Enter;        sees '42586137' "and leads to that solution"
keys 93 Enter;     sees 'there is no such solution' "a number too large is refused"
keys Home s;       sees '36428571: rotation by 90°' "s turns the board"
keys f;            sees '1 of 12' "f leaves the fundamental ones"
keys End;          sees '12 of 12' "to the last of them"
keys 10 Enter;     sees 'Class of 4, fundamental' "the class of four"
keys f;            sees '1 of 92' "f brings all back"
keys /;            sees 'Enter filters' "a prefix is asked for"
keys 158 Enter;    sees '1 of 1' "a prefix filters"
keys / 12 Enter;   sees 'share a diagonal' "a wrong one is refused in words"
keys / Enter;      sees '1 of 92' "an empty one shows all"
keys p;            sees '92 solutions written to' "p saves the list"
same "the file is the list" "$(cat "$dir/queens-8.txt")" "$("$program" solutions 8)"
keys '?';          sees 'save the list to a file' "? helps"
keys x
"${tmux[@]}" resize-window -t queens -x 50 -y 40
sees '1 of 92' "a resize draws anew"
same "the board is all there" "$(count '♛')" 8
"${tmux[@]}" resize-window -t queens -x 20 -y 8
sees 'small for the board' "a window too small says so"
"${tmux[@]}" resize-window -t queens -x 100 -y 30
keys q;            sees 'left 0 with icanon' "q leaves the terminal as it was"

start 80x24 browse 16
sees '1 of 14,772,512' "N = 16 is counted in the background"
keys 7386257 Enter; sees '7,386,257 of' "a jump into the middle"
sees "$("$program" solutions 16 --skip 7386256 --limit 1 | cut -c1-30)" "is where the list has that number"
keys C-c;          sees 'left 0 with icanon' "Control-C leaves the terminal as it was"

start 80x24 browse 2
sees 'there are no solutions' "a board without solutions says so"
keys Escape;       sees 'left 0 with icanon' "Esc leaves"

start 120x30 browse 24
sees 'Not counted' "a large board is not counted"
keys End;          sees 'Solution ?' "its last solution has no number"
keys Home f End;   sees 'Searching for' "a long search leaves the keys alive"
keys Escape;       sleep 0.3
keys Escape;       sees 'left 0 with icanon' "Esc ends the search, then the program"

start 100x30 browse 8 --ascii
sees '1 of 92' "in ASCII"
same "eight Qs are on the board" "$(count ' Q( |$)')" 8
same "nothing on the screen is beyond ASCII" "$(screen | LC_ALL=C grep -c '[^ -~]' || true)" 0
keys q;            sees 'left 0 with icanon' "q leaves"
echo "browse: all as it should be"
