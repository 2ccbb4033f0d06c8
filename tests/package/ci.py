"""ci.py BUILD VERSION WORK: the steps of packaging/ci run here as GitHub and GitLab run them, with a program on the
simulated GPU: one that wastes, one that does not, one that fails. No image is built, because that needs a container
engine and the base image; of the Containerfile it is checked what it copies and runs."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

BUILD, VERSION, WORK = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "packaging/ci"
PROGRAM = '''import driver, sys
driver.begin()
for i in range(5):
    driver.upload(100000)
    driver.wait()
    if sys.argv[1] != "wasteful":
        break
sys.exit(7 if sys.argv[1] == "fails" else 0)
'''


def begin(name):
    """A new folder with the program, as the working copy of a job."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "tests/python/driver.py", folder)
    (folder / "app.py").write_text(PROGRAM)
    return folder


def environment(folder, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XFERSPY_", "LD_", "CHECK_"))}
    return {**kept, "PATH": "%s:%s" % (BUILD / "bin", kept["PATH"]), "LD_LIBRARY_PATH": str(BUILD / "sim"),
            "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "HOME": str(folder), **more}


def run(folder, words, script, variables):
    path = folder / ".script"
    path.write_text(script)
    done = subprocess.run([*words, str(path)], cwd=folder, env=environment(folder, **variables), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    path.unlink()
    return done.returncode, done.stdout


# ---- GitHub ----

ACTION = yaml.safe_load((CI / "github/action.yml").read_text())


def evaluated(text, inputs):
    def value(found):
        name = re.fullmatch(r"inputs\.([a-z-]+)", found[1])
        assert name and name[1] in ACTION["inputs"], "an expression that this test does not know: " + found[1]
        return inputs[name[1]]
    return re.sub(r"\$\{\{ *(.*?) *\}\}", value, text)


def action(folder, **given):
    """Runs the steps until one fails. Returns the name and status of the last one, and all output."""
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    inputs.update({name.replace("_", "-"): text for name, text in given.items()})
    assert all(inputs[name] for name, one in ACTION["inputs"].items() if one.get("required"))
    output = ""
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"], "an input would become part of a script"
        variables = {name: evaluated(text, inputs) for name, text in step.get("env", {}).items()}
        variables.update(GITHUB_WORKSPACE=str(folder), GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
        status, printed = run(folder, ["bash", "--noprofile", "--norc", "-eo", "pipefail"], step["run"], variables)
        output += printed
        if status != 0:
            break
    return step["name"], status, output


def github():
    folder = begin("github")
    name, status, output = action(folder, command="python3 app.py wasteful", rules="noop-upload:0")
    assert (name, status) == ("Check", 3), (name, status, output)
    assert re.search(r"^::error file=\w+\.py,line=\d+,title=noop-upload", output, re.M), output
    assert '"noop-upload' in (folder / "xferspy.sarif").read_text()
    assert re.search("(noop|unused)-upload", (folder / "summary.md").read_text()), "no cause in the summary"
    # The trace of another run is never judged in place of this one's.
    name, status, output = action(folder, command="python3 app.py good")
    assert (name, status) == ("Record", 1) and "exists already" in output, (name, status, output)

    folder = begin("github-good")
    name, status, output = action(folder, command="python3 app.py good", rules="noop-upload:0", trace="a trace.db",
                                  run_options="--stack=none  --stack-depth=8")
    assert (name, status) == ("Check", 0) and (folder / "a trace.db").exists(), (name, status, output)
    subprocess.run([BUILD / "bin/xferspy", "check", "--write-baseline=base.json", "a trace.db"], cwd=folder, check=True)
    name, status, output = action(folder, command="python3 app.py good", rules="any:0,transfers:+0",
                                  baseline="base.json", trace="b.db", sarif="b.sarif")
    assert (name, status) == ("Check", 0), (name, status, output)

    folder = begin("github-fails")
    name, status, output = action(folder, command="python3 app.py fails")
    assert (name, status) == ("Record", 7), (name, status, output)

    # Texts are no commands, but for the command.
    folder = begin("github-hostile")
    hostile = '"; touch hostile; $(touch hostile) `touch hostile` \''
    for given in ({"rules": hostile}, {"trace": hostile}, {"sarif": hostile}, {"run_options": hostile},
                  {"baseline": hostile}, {"wheel": hostile}):
        for trace in folder.glob("*.db"):
            trace.unlink()
        action(folder, command="python3 app.py good", **given)
        assert not (folder / "hostile").exists(), given


# ---- GitLab ----

def gitlab():
    job = yaml.safe_load((CI / "gitlab.yml").read_text())[".xferspy"]

    def ran(folder, **given):
        variables = {**job["variables"], **given, "CI_PROJECT_DIR": str(folder)}
        return run(folder, ["bash", "-eo", "pipefail"], "\n".join(job["script"]), variables)

    folder = begin("gitlab")
    status, output = ran(folder, CHECK_COMMAND="python3 app.py wasteful", CHECK_RULES="noop-upload:0")
    assert status == 3 and "The gate fails" in output, (status, output)
    assert (folder / job["artifacts"]["reports"]["junit"]).exists()
    (trace,) = job["artifacts"]["paths"]
    assert trace == "$CHECK_TRACE" and (folder / job["variables"]["CHECK_TRACE"]).exists()
    folder = begin("gitlab-good")
    status, output = ran(folder, CHECK_COMMAND="python3 app.py good", CHECK_RULES="noop-upload:0",
                         CHECK_RUN_OPTIONS="--stack=none --stack-depth=8")
    assert status == 0 and "The gate passes" in output, (status, output)
    status, output = ran(begin("gitlab-fails"), CHECK_COMMAND="python3 app.py fails")
    assert status == 7, (status, output)


# ---- the Containerfile ----

def containerfile():
    text = (CI / "Containerfile").read_text()
    lines = re.sub(r"\\\n", " ", text).splitlines()
    words = [line.split(None, 1) for line in lines if line and not line.startswith("#")]
    assert [word for word, _ in words] == ["FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT", "CMD"], words
    (source, target), script = words[1][1].split(), words[2][1]
    assert pathlib.PurePath("xferspy_%s_amd64.deb" % VERSION).match(source)
    assert target + source in script
    subprocess.run(["sh", "-nc", script], check=True)
    # What other images copy is where the package puts it.
    stage = WORK / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "DESTDIR": str(stage)})
    copied = re.findall(r"^# +COPY --from=xferspy (/\S+)", text, re.M)
    assert len(copied) == 2 and all((stage / path.lstrip("/")).is_file() for path in copied), copied


github()
gitlab()
containerfile()
print("passed")
