# The image runs the bundled program with its production dependencies, as an unprivileged user on a read-only root.
# The digest is that of the image index, for every platform. To renew it: docker buildx imagetools inspect node:26-slim
FROM node:26.8.1-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146 AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY tools/node tools/node
# All packages of the lock file: the bundler, the exports to OpenTelemetry, and the Node that the tests run on, which replaces that of the image. Two
# folders and this Node get into the image.
RUN npm ci --ignore-scripts --no-audit --no-fund && cp -L node_modules/.bin/node /usr/local/bin/node
COPY scripts/bundle.mjs scripts/console-docs.mjs scripts/console-page.mjs scripts/
COPY src src
COPY docs docs
RUN node --input-type=module --eval "import { bundle } from './scripts/bundle.mjs'; await bundle('/app/dist');"

FROM node:26.8.1-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146 AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The optional packages bundle the Node, which the image has in another place.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# 20 MB for exports to OpenTelemetry: --build-arg OPENTELEMETRY=off leaves them out.
COPY --from=build /app/node_modules/@opentelemetry /opentelemetry
ARG OPENTELEMETRY=on
RUN [ "$OPENTELEMETRY" = off ] || cp -r /opentelemetry/. node_modules/@opentelemetry/

FROM node:26.8.1-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146
# Probes come from outside the container. Its network decides who reaches 9090.
ENV NODE_ENV=production \
    DATA_DIR=/data \
    ADMIN_HOST=0.0.0.0 \
    NODE_COMPILE_CACHE=/app/.cache/compile
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
# A new volume gets the owner of the folder that it covers. Keys lie apart from the data.
RUN mkdir /data /keys && chown 1000:1000 /data /keys && chmod 700 /data /keys
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY --from=build /app/dist dist
# Fills the compile cache, which cannot be filled on a read-only root: that of servers, and that of commands.
RUN node --disable-proto=delete bin/triglyph.mjs serve --help > /dev/null && \
  node --disable-proto=delete bin/triglyph.mjs credential list --help > /dev/null
USER 1000:1000
VOLUME /data
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# With ADMIN_TLS the certificate names another host than 127.0.0.1: the answer counts, and stays on this machine.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "--no-warnings", "-e", "const { ADMIN_TLS, ADMIN_PORT } = process.env; process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`http${ADMIN_TLS === 'on' ? 's' : ''}://127.0.0.1:${ADMIN_PORT || 9090}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# `delete` and not `throw`: with `throw` Node itself fails on a request header named __proto__.
CMD ["node", "--disable-proto=delete", "bin/triglyph.mjs", "serve"]
