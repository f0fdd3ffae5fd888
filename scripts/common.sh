# shellcheck shell=bash
# Sourced by the scripts before anything else, as `. "$(dirname "$0")/common.sh" MOST "$@"`: --help prints the comment at
# the script's head; an option, or more than MOST arguments, is refused with exit code 2. MOST of `any` leaves both to the
# script.

fail() { echo "error: $*" >&2; exit 1; }
wrong() { echo "error: $*; see $0 --help" >&2; exit 2; }
step() {
    local begun=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== %d s: %s\n' $((SECONDS - begun)) "$*"
}

# at_most MOST ARGUMENT...: refuses options, and more arguments.
at_most() {
    local most=$1 argument
    shift
    for argument in "$@"; do
        case $argument in -?*) wrong "there is no option '$argument'" ;; esac
    done
    [ $# -le "$most" ] || wrong "at most $most arguments, not $#"
}

# one_of WORD ALLOWED...: refuses a word that is none of those allowed.
one_of() {
    local word=$1 each
    shift
    for each in "$@"; do
        [ "$word" != "$each" ] || return 0
    done
    wrong "${word:+there is no '$word'; }what is allowed is one of: $*"
}

for argument in "${@:2}"; do
    case $argument in
    -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    esac
done
[ "$1" = any ] || at_most "$@"
