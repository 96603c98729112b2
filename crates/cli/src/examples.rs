//! Examples of each command, for help texts and manual pages.

/// The six commands of a first session.
pub const FIRST_STEPS: &str = "\
podqueue local                                    # a service on this machine
podqueue run echo '{\"hello\": \"world\"}'            # submit a job, print its output
podqueue batch run in.jsonl -e echo -o out.jsonl  # many jobs, and survive a crash
podqueue status echo JOB                          # the status of a job
podqueue health echo                              # the jobs and workers
podqueue doctor echo                              # why something does not work";

/// Each command with its examples.
pub const EXAMPLES: &[(&str, &str)] = &[
    (
        "podqueue",
        "\
podqueue local                             # try it without an account
podqueue run echo '{\"hello\": \"world\"}'
podqueue doctor echo",
    ),
    (
        "podqueue run",
        "\
podqueue run painter '{\"prompt\": \"a lighthouse\"}'
podqueue run painter -f prompt=dawn -f steps=20 --timeout 10m
podqueue run poet @prompt.json --stream --raw
cat prompt.json | podqueue run painter - --json > record.json
job=$(podqueue run painter @prompt.json --detach)",
    ),
    (
        "podqueue status",
        "podqueue status painter \"$job\"\npodqueue status painter j1 j2 j3 --json",
    ),
    (
        "podqueue wait",
        "\
podqueue wait painter \"$job\" > picture.json
podqueue wait painter \"$job\" --timeout 10m --cancel-on-timeout
podqueue wait painter j1 j2 j3",
    ),
    ("podqueue stream", "podqueue stream poet \"$job\"\npodqueue stream poet \"$job\" --raw"),
    ("podqueue cancel", "podqueue cancel painter \"$job\"\npodqueue cancel painter j1 j2 j3"),
    ("podqueue retry", "podqueue retry painter \"$job\" && podqueue wait painter \"$job\""),
    (
        "podqueue batch",
        "\
podqueue batch run prompts.jsonl --endpoint painter --out answers.jsonl
podqueue batch watch answers.jsonl           # from another terminal
podqueue batch retry answers.jsonl           # and run it again",
    ),
    (
        "podqueue batch run",
        "\
podqueue batch run prompts.jsonl --endpoint painter --out answers.jsonl
podqueue batch run rows.jsonl -e painter -o out.jsonl --input-field prompt \\
  --key-field id --max-failures 2% --price 0.00044
podqueue batch run prompts.jsonl -e painter -o answers.jsonl --keep-warm 4
podqueue batch run prompts.jsonl -e painter -o answers.jsonl \\
  --price 1.58/h --execution-timeout 60s --max-cost 25
podqueue batch run s3://bucket/prompts.jsonl -e painter -o s3://bucket/out/
podqueue batch run rows.csv -e painter -o answers.csv --key-field id
podqueue batch run prompts.jsonl --dry-run
podqueue batch run prompts.jsonl -e painter -o answers.jsonl \\
  --price 1.58/h --dry-run --sample 20
podqueue batch run answers.jsonl.failed.jsonl -e painter -o second.jsonl \\
  --input-field input --key-field key",
    ),
    (
        "podqueue batch serve",
        "\
podqueue batch serve poet --dir batches
podqueue batch serve llama=ab12 embed=cd34 --dir batches \\
  --listen 0.0.0.0:8080 --api-key-file keys.txt",
    ),
    (
        "podqueue batch status",
        "podqueue batch status answers.jsonl\npodqueue batch status answers.jsonl --json",
    ),
    ("podqueue batch watch", "podqueue batch watch answers.jsonl"),
    ("podqueue batch unknown", "podqueue batch unknown answers.jsonl --json"),
    (
        "podqueue batch retry",
        "\
podqueue batch retry answers.jsonl
podqueue batch retry answers.jsonl --status expired,unknown
podqueue batch retry answers.jsonl --same-jobs",
    ),
    ("podqueue batch cancel", "podqueue batch cancel answers.jsonl"),
    (
        "podqueue batch export",
        "\
podqueue batch export answers.jsonl > ordered.jsonl
podqueue batch export answers.jsonl --out answers.csv",
    ),
    ("podqueue health", "podqueue health painter\npodqueue health painter --watch --interval 10s"),
    ("podqueue purge", "podqueue purge painter\npodqueue purge painter --yes"),
    (
        "podqueue openai",
        "podqueue openai poet v1/chat/completions @request.json\npodqueue openai poet v1/chat/completions @request.json --stream",
    ),
    (
        "podqueue endpoint",
        "\
podqueue endpoint list
podqueue endpoint logs painter --follow
podqueue endpoint scale painter --min 1 --max 5",
    ),
    ("podqueue endpoint list", "podqueue endpoint list\npodqueue endpoint list --json"),
    ("podqueue endpoint get", "podqueue endpoint get painter --json"),
    (
        "podqueue endpoint create",
        "\
podqueue endpoint create painter --image registry.example/painter:1 \\
  --gpu ADA_24 --max 3 --env HF_TOKEN
podqueue endpoint create --file painter.json --yes",
    ),
    (
        "podqueue endpoint update",
        "\
podqueue endpoint update painter --image registry.example/painter:2
podqueue endpoint update painter --file painter.json --yes",
    ),
    ("podqueue endpoint delete", "podqueue endpoint delete painter --yes"),
    (
        "podqueue endpoint scale",
        "\
podqueue endpoint scale painter --min 1 --max 5
podqueue endpoint scale painter --min 0 --max 0  # run no jobs",
    ),
    ("podqueue endpoint workers", "podqueue endpoint workers painter"),
    ("podqueue endpoint releases", "podqueue endpoint releases painter"),
    (
        "podqueue endpoint logs",
        "\
podqueue endpoint logs painter --tail 50
podqueue endpoint logs painter --worker WORKER --follow --source container",
    ),
    ("podqueue pod", "podqueue pod list\npodqueue pod get POD"),
    ("podqueue pod list", "podqueue pod list\npodqueue pod list --clusters --json"),
    (
        "podqueue pod create",
        "\
podqueue pod create notebook --image registry.example/notebook:1 \\
  --gpu GPU --volume-gb 50 --volume-mount-path /data --port 8888/http
podqueue pod create --file notebook.json --yes",
    ),
    ("podqueue pod start", "podqueue pod start POD --yes"),
    ("podqueue pod stop", "podqueue pod stop POD"),
    ("podqueue pod restart", "podqueue pod restart POD --yes"),
    ("podqueue pod delete", "podqueue pod delete POD --yes"),
    ("podqueue pod logs", "podqueue pod logs POD --since 10m\npodqueue pod logs POD --follow"),
    ("podqueue volume", "podqueue volume list"),
    ("podqueue volume list", "podqueue volume list --json"),
    ("podqueue volume get", "podqueue volume get VOLUME"),
    (
        "podqueue volume create",
        "podqueue volume create models --size-gb 100 --data-center DATA-CENTER",
    ),
    ("podqueue volume update", "podqueue volume update VOLUME --size-gb 200"),
    ("podqueue volume delete", "podqueue volume delete VOLUME --yes"),
    ("podqueue gpu", "podqueue gpu list"),
    ("podqueue gpu list", "podqueue gpu list --for serverless\npodqueue gpu list --count 8 --json"),
    (
        "podqueue billing",
        "\
podqueue billing --by day --last 7
podqueue billing endpoints --id painter --since 30days
podqueue billing pods --json",
    ),
    (
        "podqueue pod get",
        "podqueue pod get POD\npodqueue pod get POD --include machine,network-volume --json",
    ),
    ("podqueue template", "podqueue template get TEMPLATE\npodqueue template delete TEMPLATE"),
    ("podqueue template list", "podqueue template list\npodqueue template list --public official"),
    ("podqueue template get", "podqueue template get TEMPLATE --include public --json"),
    (
        "podqueue template create",
        "\
podqueue template create my-worker --serverless \\
  --image registry.example/worker:1
podqueue template create notebook --image registry.example/notebook:1 \\
  --volume-gb 50 --volume-mount-path /data --port 8888/http --env HF_TOKEN",
    ),
    (
        "podqueue template update",
        "podqueue template update ID --name worker --image registry.example/worker:2",
    ),
    ("podqueue template delete", "podqueue template delete TEMPLATE --yes"),
    ("podqueue secret", "podqueue secret create hf-token\npodqueue secret delete ID"),
    (
        "podqueue secret create",
        "\
podqueue secret create hf-token            # asks for the value
podqueue secret create hf-token < token.txt",
    ),
    ("podqueue secret delete", "podqueue secret delete ID --yes"),
    (
        "podqueue graphql",
        "podqueue graphql save.graphql --var name=worker --var disk=20\n\
         echo '{ __typename }' | podqueue graphql -",
    ),
    (
        "podqueue listen",
        "\
podqueue listen painter \"$job\" --forward-to http://127.0.0.1:3000/hooks/token
podqueue listen painter j1 j2 j3 --forward-to http://127.0.0.1:3000/hooks",
    ),
    (
        "podqueue trigger",
        "\
podqueue trigger completed --to http://127.0.0.1:3000/hooks/token
podqueue trigger failed --to http://127.0.0.1:3000/hooks --twice --late 20s",
    ),
    (
        "podqueue jobs",
        "podqueue jobs painter\npodqueue jobs painter --status FAILED --search timeout",
    ),
    ("podqueue logs", "podqueue logs --follow\npodqueue logs painter --only workers --tail 20"),
    (
        "podqueue local",
        "podqueue local\npodqueue local --listen 127.0.0.1:0 --endpoint 'upper=python3 worker.py'",
    ),
    (
        "podqueue mcp",
        "\
podqueue mcp                                 # reads only
podqueue mcp --allow run,cancel --endpoints painter --price 1.58/h --max-cost 5
podqueue mcp --allow batch --files ~/batches --price 1.58/h --max-cost 20
podqueue mcp --allow local                   # rehearse, without an account
podqueue mcp --http 127.0.0.1:8800 --allow run",
    ),
    ("podqueue doctor", "podqueue doctor\npodqueue doctor painter --job \"$job\""),
    ("podqueue config", "podqueue config\npodqueue config --where"),
    (
        "podqueue completions",
        "\
podqueue completions --install    # for your shell, with the manual
podqueue completions bash > ~/.podqueue.bash    # and source it in ~/.bashrc",
    ),
    ("podqueue man", "podqueue man | man -l -\npodqueue man ~/.local/share/man/man1"),
];

/// The examples of a command, given as typed.
pub fn examples_of(path: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(of, _)| *of == path).map(|(_, examples)| *examples)
}
