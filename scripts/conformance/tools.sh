# Tools of the checks by other programs, for the scripts that source this and set `target`: `tools` is
# an environment of Python, `node_tools` a folder of npm.

tools="$target/conformance"
node_tools="$target/conformance-node"

if ! cmp -s scripts/conformance/requirements.txt "$tools/requirements.txt"; then
  python3 -m venv --clear "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/conformance/requirements.txt
  cp scripts/conformance/requirements.txt "$tools/requirements.txt"
fi
if ! cmp -s scripts/conformance/package.json "$node_tools/package.json"; then
  mkdir -p "$node_tools"
  cp scripts/conformance/package.json "$node_tools/package.json"
  (cd "$node_tools" && npm install --silent --no-audit --no-fund --ignore-scripts) ||
    { rm -f "$node_tools/package.json"; exit 1; }
fi
