# For the other scripts: sends a request again if the server had too much to do.

# wait_if_overloaded SENDS STATUS HEAD_FILE BODY_FILE: waits if the request, which was sent SENDS times, may be sent again.
# Otherwise it fails. The server has then used nothing of the request. Any other 503 does not promise that, and must not be
# retried.
wait_if_overloaded() {
    [ "$1" -lt 3 ] && [ "$2" = 503 ] || return 1
    case $(head_field content-type "$3" | tr '[:upper:]' '[:lower:]') in
    application/problem+json | application/problem+json[\ \;]*) ;;
    *) return 1 ;;
    esac
    [ "$(jq -r '.type?' "$4" 2>/dev/null)" = urn:card-companion:problem:overloaded ] || return 1
    # Retry-After is 1 to 5 seconds. Half to one and a half of it, at random, so that clients do not come back all at once.
    case $(head_field retry-after "$3") in
    '' | *[!0-9]* | 0 | 1) seconds=1 ;;
    [2-4]) seconds=$(head_field retry-after "$3") ;;
    *) seconds=5 ;;
    esac
    random=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ') # 0 to 65535
    milliseconds=$((seconds * (500 + 1000 * random / 65535)))
    sleep "$(printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000)))"
}

# send_until_taken ARGUMENTS: calls the other script's 'send', and again while the server has too much to do. 'send' puts the answer
# into $status, $work/head and $work/answer.
send_until_taken() {
    sends=1
    send "$@"
    while wait_if_overloaded $sends "$status" "$work/head" "$work/answer"; do
        sends=$((sends + 1))
        send "$@"
    done
}

# head_field NAME HEAD_FILE: a header field that curl has written with -D, without spaces and the end of the line.
head_field() {
    tr -d '\r' <"$2" | awk -F: -v name="$1" '
        tolower($1) == name { sub(/^[^:]*:[ \t]*/, ""); sub(/[ \t]+$/, ""); value = $0 }
        END { print value }'
}
