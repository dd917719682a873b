# Completion of facet's commands and options for bash, read from its own --help.
_facet() {
  local word=${COMP_WORDS[COMP_CWORD]} facet=${COMP_WORDS[0]} commands=() w
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $w in -*|*.*|*/*|*=*) ;; *) commands+=("$w") ;; esac
  done
  local help
  help=$("$facet" "${commands[@]:0:1}" --help 2>/dev/null) || help=$("$facet" --help)
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(grep -oE -- '--[a-z][a-z0-9-]*' <<<"$help" | sort -u)" -- "$word"))
  elif ((${#commands[@]} < 2)) && grep -q '^Subcommands:' <<<"$help"; then
    COMPREPLY=($(compgen -W "$(sed -n '/^Subcommands:/,/^[^ ]*:/s/^  \([a-z-]*\) .*/\1/p' <<<"$help")" -- "$word"))
  fi
}
complete -o default -F _facet facet
