# Daybook in a container; how to run it: docs/deploy.md.
# scripts/container_by_hand.py carries these very steps out where there is no engine.

ARG PYTHON=3.11
FROM python:${PYTHON}-slim

# HOME: whoever runs it has no entry among the machine's users, so no home of its own.
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    DAYBOOK_DATA_DIR=/data

WORKDIR /srv/daybook

# First what seldom changes: a layer of packages serves every build until the list is another one.
COPY requirements.txt ./
RUN python -m pip install --disable-pip-version-check --root-user-action=ignore --no-cache-dir \
    --only-binary :all: --require-hashes -r requirements.txt

COPY run.py config.json persona.md ./
COPY deploy/healthy.py deploy/
COPY bot bot/
COPY channels channels/
COPY plugins plugins/

# Readable whatever the checkout's umask was, compiled since nothing can be written here later.
RUN chmod -R a+rX . && \
    python -m compileall -q --invalidation-mode unchecked-hash run.py deploy bot channels plugins && \
    install -d -o 10001 -g 10001 -m 0700 /data /backups

USER 10001:10001
VOLUME ["/data"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "deploy/healthy.py", "/data"]

# The exec form: SIGTERM reaches the bot, which then has 20 s to end (compose.yaml gives it 30).
ENTRYPOINT ["python", "run.py"]
