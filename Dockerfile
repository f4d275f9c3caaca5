# An image that serves one index, which is mounted at /index:
#   docker build -t pagekin .
#   docker run --rm -p 127.0.0.1:8000:8000 -v "$PWD/site.kin:/index:ro" pagekin

FROM python:3.12-slim AS built
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/pagekin && /opt/pagekin/bin/pip install --no-cache-dir .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/cache/pagekin pagekin
COPY --from=built /opt/pagekin /opt/pagekin
ENV PATH=/opt/pagekin/bin:$PATH \
    NUMBA_CACHE_DIR=/var/cache/pagekin \
    OPENBLAS_NUM_THREADS=1
USER 10001
EXPOSE 8000
VOLUME ["/index"]
HEALTHCHECK --start-period=60s --interval=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# Everything outside the container is kept out by how its port is published.
ENTRYPOINT ["pagekin", "serve", "/index", "--host", "0.0.0.0"]
CMD ["--workers", "2"]
