
# Completes the file of an argument such as @prompt.json or prompt=@prompt.txt.
_podqueue_or_file() {
    if compset -P '(*=|)@'; then
        _files
    else
        _default
    fi
}
