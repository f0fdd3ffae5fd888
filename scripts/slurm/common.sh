# shellcheck shell=bash disable=SC2034
# What submit, status and resubmit share; sourced, not run.
#
# A count is a folder that every node sees:
#
#     settings          n, shards, units, cpus and program, a line each
#     task, merge       the batch scripts, complete, for `sbatch` by hand too
#     arrays            the job IDs of the arrays submitted
#     results/K         shard K, once it is complete
#     checkpoints/K     shard K, as far as it got
#     logs/K.log        what shard K said, over all its starts
#     total             the count, once all shards are merged

. "$(dirname "${BASH_SOURCE[0]}")/../common.sh" any "$@"

need() {
    local command
    for command; do
        type -P "$command" >/dev/null || fail "$command is not on the PATH: this machine submits to no Slurm cluster"
    done
}

# setting KEY: a line of the settings of the count in this folder
setting() { sed -n "s/^$1 //p" settings; }

# Others may read a count, and change nothing in it.
umask go-w

# own DIR: fails unless this folder, which we are in, and what is run from it are the caller's alone. The settings name
# the program that is run, and the batch scripts are run themselves.
own() {
    local file at mode
    for file in . settings task merge; do
        at=$1/$file
        [ "$file" != . ] || at=$1
        [ ! -L "$file" ] || fail "$at: a link, and you would run what it leads to"
        [ -e "$file" ] || continue
        [ -O "$file" ] || fail "$at: it is $(stat -c %U "$file")'s, and you would run what is named there; take a folder of your own"
        mode=$(stat -c %A "$file")
        [ "${mode:5:1}${mode:8:1}" = -- ] ||
            fail "$at: others may write there, and you would run what they write; look through it, then chmod go-w it"
    done
}

# enter DIR: goes to the folder of a count and sets n, shards and program
enter() {
    cd -- "$1" 2>/dev/null || fail "$1: there is no such folder"
    own "$1"
    [ -f settings ] || fail "$1: no count was submitted from this folder"
    n=$(setting n) shards=$(setting shards) program=$(setting program)
    [ -x "$program" ] || fail "$program: the program of this count is gone"
}

# missing: shards without a complete and sound result, as `sbatch --array` takes them; damaged ones, and files that are no
# shard, are named on stderr
missing() {
    local list code=0
    list=$("$program" merge --quiet results 2>merge.err) || code=$?
    case $code in
        0) ;;
        4)
            echo "${list:-1-$shards}"
            grep -E '^(warning|skipped)' merge.err >&2 || true ;;
        *) cat merge.err >&2 ;;
    esac
    rm -f merge.err
    [ "$code" = 0 ] || [ "$code" = 4 ]
}

# numbers LIST: 3,7-9 as 3 7 8 9, a line each
numbers() {
    tr , '\n' <<<"$1" | awk -F- 'NF { for (k = $1; k <= $NF; k++) print k }'
}

# ranges: the inverse, from ascending lines on stdin
ranges() {
    awk 'function put() { if (first) printf "%s%s", (some++ ? "," : ""), first == last ? first : first "-" last }
        $1 != last + 1 || !first { put(); first = $1 }
        { last = $1 }
        END { put(); if (some) print "" }'
}

# queued: lines of shard and state (as `PD`, `R`) of this count's tasks that Slurm still has
queued() {
    [ -f arrays ] || return 0
    local list
    list=$(squeue --noheader --array --me --format='%F %K %t') || fail "squeue failed"
    awk 'NR == FNR { ours[$1]; next } $1 in ours { print $2, $3 }' arrays - <<<"$list" | sort -n
}

# send LIST: submits these shards, and the merge for when they have ended, however they did
send() {
    local array merge
    array=$(sbatch --parsable --array="$1" task)
    array=${array%%;*}
    echo "$array" >>arrays
    merge=$(sbatch --parsable --dependency="afterany:$array" merge)
    echo "job $array: shards $1 of $shards for N = $n; job ${merge%%;*} merges them into $PWD/total"
}
