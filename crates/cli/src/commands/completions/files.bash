
# Completes the file of an argument such as @prompt.json or prompt=@prompt.txt.
_podqueue_or_file() {
    case "$2" in
        @* | *=@*) ;;
        *) _podqueue "$@"; return ;;
    esac
    local file before="${2%%@*}@"
    COMPREPLY=()
    while IFS= read -r file; do
        if [[ -d "${file}" ]]; then
            file+=/
            compopt -o nospace 2>/dev/null
        fi
        printf -v file %q "${file}"
        COMPREPLY+=("${before}${file}")
    done < <(compgen -f -- "${2#*@}")
    return 0
}
