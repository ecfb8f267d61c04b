#!/bin/sh
# Runs the fuzzer on each parser: fuzz.sh PROGRAM FINDINGS SECONDS [PARSER...], in the package's root. What makes a parser
# crash, take more than ten seconds or need more than 1 GiB is stored in the folder FINDINGS. Then the exit status is 1.
set -eu
program=$1 findings=$2 seconds=$3
shift 3
[ $# -gt 0 ] || set -- $(ls Tests/Tools/Fuzz/corpus)
# A crashing program with AddressSanitizer does not end if Swift's runtime prints a backtrace.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$findings"
failed=
for parser in "$@"; do
    grown=$findings/corpus/$parser log=$findings/$parser.log
    mkdir -p "$grown"
    if FUZZ_PARSER=$parser "$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$findings/$parser-" "$grown" "Tests/Tools/Fuzz/corpus/$parser" \
        $(ls -d "Tests/Tools/Fuzz/regressions/$parser" 2>/dev/null) >"$log" 2>&1; then
        echo "$parser: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, no fault"
    else
        failed="$failed $parser"
        echo "$parser: FAULT; see $log"
        grep -E 'Fatal error|ERROR: |SUMMARY|Test unit written to' "$log" || tail -5 "$log"
    fi
done
[ -z "$failed" ] || {
    echo "Faults in:$failed. Move the input to Tests/Tools/Fuzz/regressions/PARSER, where 'make test' reads it." >&2
    exit 1
}
