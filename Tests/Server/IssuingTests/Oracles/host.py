"""A bank's program for its connector, as tests need it.

Its folder has a file per cardholder with what it answers: lines of members that are added to the answer. Each time it is asked, it
takes the next line, and the last one for good. A list in a line is several answers. While there is no file, it does not answer. It
notes each line that it gets in the file "lines".
"""

import json
import os
import sys

folder = sys.argv[1]
asked = {}
with open(os.path.join(folder, "starts"), "a", encoding="utf-8") as starts:
    starts.write(f"{os.getpid()} {sorted(name for name in os.environ if name.startswith(('CARD_COMPANION_', 'DATA', 'HTTP_', 'LOG_', 'PG', 'VAULT_')))}\n")
for line in sys.stdin:
    with open(os.path.join(folder, "lines"), "a", encoding="utf-8") as lines:
        lines.write(line)
    question = json.loads(line)
    try:
        with open(os.path.join(folder, question["uniqueId"]), encoding="utf-8") as file:
            answers = file.read().splitlines()
    except FileNotFoundError:
        continue
    number = asked.get(question["uniqueId"], 0)
    asked[question["uniqueId"]] = number + 1
    answer = answers[min(number, len(answers) - 1)]
    if answer == "end":
        sys.exit(3)
    if answer == "nonsense":
        print("I have not understood", flush=True)
        continue
    members = json.loads(answer)
    for one in members if isinstance(members, list) else [members]:
        print(json.dumps({"event": question["event"], "uniqueId": question["uniqueId"]} | one), flush=True)
