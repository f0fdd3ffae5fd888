# shellcheck shell=bash
# Sourced by each script as `. "$(dirname "$0")/common.sh" "$@"`; with --help it prints the script's header.

fail() { echo "error: $*" >&2; exit 1; }
wrong() { echo "error: $*; see $0 --help" >&2; exit 2; }
# step COMMAND...: runs a command, and prints a heading and its time.
step() {
    local begun=$SECONDS
    printf '\n== %s\n' "$*" >&2
    "$@"
    printf '== %d s: %s\n' $((SECONDS - begun)) "$*" >&2
}

case " $* " in
*" --help "* | *" -h "*) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
esac
