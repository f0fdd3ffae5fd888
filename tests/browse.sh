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
sees '92 counted' "the count, without a time of milliseconds"
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
keys 93 Enter;     sees 'from 1 to 92' "a number too large is refused"
keys Escape
keys Home s;       sees '36428571: rotation by 90°' "s turns the board"
keys f;            sees '1 of 12' "f leaves the fundamental ones"
keys 5 Enter f;    sees "$("$program" solutions 8 --rank 25741863) of 92" "f keeps the board that is shown"
keys f;            sees ' 5 of 12' "there and back"
keys End;          sees '12 of 12' "to the last of them"
keys 10 Enter;     sees 'Class of 4, fundamental' "the class of four"
keys f;            sees "$("$program" solutions 8 --rank 35281746) of 92" "f brings all back, on the same board"
keys /;            sees 'Enter filters' "a prefix is asked for"
keys 158 Enter;    sees '1 of 1' "a prefix filters"
keys / 12 Enter;   sees 'share a diagonal' "a wrong one is refused in words"
sees 'beginning 12' "and stays, to be mended"
keys BSpace BSpace Enter; sees '1 of 92' "an empty one shows all"
keys p;            sees 'list to queens-8.txt' "p asks for the name of a file"
keys Escape;       sleep 0.3
same "Esc writes nothing" "$(ls "$dir"/*.txt 2>/dev/null || true)" ""
keys p Enter;      sees '92 solutions written to' "p saves the list"
same "the file is the list" "$(cat "$dir/queens-8.txt")" "$("$program" solutions 8)"
keys h;            sees 'there is no such solution' "h is left"
keys l;            sees '2 of 92' "l is right"
keys j Space;      sees '4 of 92' "j and Space go on"
keys k;            sees '3 of 92' "k goes back"
keys PageDown;     sees '13 of 92' "PgDn goes ten on"
keys w;            sees 'board to queens-8-13.svg' "a name for the board is proposed"
keys Enter;        sees 'board written to queens-8-13.svg' "w saves the board"
same "the file is the board's" "$(cat "$dir/queens-8-13.svg")" "$("$program" show --number 13 8 --format svg)"
keys w;            sees 'queens-8-13.2.svg' "another name for another file"
for _ in 1 2 3; do keys BSpace; done
keys txt Enter;    sees 'written to queens-8-13.2.txt' "the extension decides the format"
same "text it is" "$(head -n 1 "$dir/queens-8-13.2.txt")" "$("$program" show --number 13 8 -o - | sed -n 2p)"
keys w;            sees 'queens-8-13.2.svg' "a third time"
for _ in 1 2 3; do keys BSpace; done
keys jpg Enter;    sees 'no format has the' "an unknown extension is refused in words"
sees 'board to queens-8-13.2.jpg' "and the name stays, to be mended"
keys Escape;       sees '13 of 92' "Esc goes back, and does not leave"
keys w other.svg Enter; sees 'written to other.svg' "a name that is typed takes the place of the one proposed"
keys '?';          sees 'save the list to a file' "? helps"
keys x
"${tmux[@]}" resize-window -t queens -x 50 -y 40
sees '13 of 92' "a resize draws anew"
same "the board is all there" "$(count '♛')" 8
"${tmux[@]}" resize-window -t queens -x 20 -y 8
sees 'small for the board' "a window too small says so"
"${tmux[@]}" resize-window -t queens -x 100 -y 30
keys q;            sees 'left 0 with icanon' "q leaves the terminal as it was"

start 80x24 browse 8 --number 31
sees '31 of 92' "--number begins there"
sees 'q quit' "the way out is shown on a narrow screen"
same "the board uses the height there is" "$(screen | grep -nE '^ *8 ' | tail -1 | cut -d: -f1)" 18
keys C-z;          sees 'Stopped' "Control-Z leaves for the shell"
keys fg Enter;     sees '31 of 92' "fg comes back"
keys q;            sees 'left' "q leaves"

start 80x24 browse 8 --from 4,2,5
sees '31 of 92' "--from takes a placement"
# Each of these ends the program from outside; the shell must find its terminal as it was.
for signal in TERM HUP QUIT; do
    pid=$(ps -t "$("${tmux[@]}" display -p -t queens '#{pane_tty}')" -o pid=,args= | awk '/browse 8/ && !/bash/ {print $1}')
    kill "-$signal" "$pid"
    sees "with icanon" "SIG$signal leaves the terminal as it was"
    same "the screen before is back" "$(screen | grep -c 'of 92' || true)" 0
    keys "clear; $(printf '%q ' "$program" browse 8); echo left \$? with \$(stty -a | grep -o ' -\?icanon')" Enter
    sees '1 of 92' "it starts again"
done
keys q;            sees 'left 0 with icanon' "q leaves"

start 80x24 browse 16
sees '1 of 14,772,512' "N = 16 is counted in the background"
keys 7386257 Enter; sees '7,386,257 of' "a jump into the middle"
sees "$("$program" solutions 16 --skip 7386256 --limit 1 | cut -c1-18)" "is where the list has that number"
keys C-c;          sees 'left 0 with icanon' "Control-C leaves the terminal as it was"

start 80x24 browse 2
sees 'there are no solutions' "a board without solutions says so"
keys Escape;       sees 'left 0 with icanon' "Esc leaves"

start 120x30 browse 24
sees 'not counted' "a large board is not counted"
keys End;          sees 'Solution ?' "its last solution has no number"
keys Home f End;   sees 'Searching for' "a long search leaves the keys alive"
keys Escape;       sleep 0.3
keys Escape;       sees 'left 0 with icanon' "Esc ends the search, then the program"

start 80x24 browse 8 --queen d7
sees '1 of 8' "a given queen leaves eight solutions"
keys / 158 Enter;  sees 'no solutions in this list' "a prefix is added to the given queen"
keys / Enter;      sees '1 of 8' "an empty one leaves the given queen"
keys 9 Enter;      sees 'this list has 8 solutions' "a number is one of this list"
keys Escape;       sleep 0.3
keys f;            sees 'f shows all' "a list without a fundamental solution says so"
keys q;            sees 'left 0 with icanon' "q leaves"

start 100x30 browse 8 --ascii
sees '1 of 92' "in ASCII"
same "eight Qs are on the board" "$(count ' Q( |$)')" 8
same "nothing on the screen is beyond ASCII" "$(screen | LC_ALL=C grep -c '[^ -~]' || true)" 0
keys q;            sees 'left 0 with icanon' "q leaves"
echo "browse: all as it should be"
