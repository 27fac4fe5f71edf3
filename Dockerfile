# One image for the API, the worker, the migrations and the operators' commands; docker-compose.yml chooses by command.
# To be certain of the base, add the digest of the one that you have tried: node:24.21.0-bookworm-slim@sha256:... (all three lines).
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY console/package.json console/
# Without what only the local run and the tests need: Node, PostgreSQL, Azurite and an embedded LibreOffice.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# The console is built by packages that the image does not have.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY console/package.json console/
RUN npm ci --workspace @bahi/console --workspace @bahi/client --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY client client
COPY console console
RUN npm run build --workspace @bahi/console

FROM node:24.21.0-bookworm-slim
# Temporal's client verifies certificates with the system's CA certificates. The worker renders PDFs by LibreOffice.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libreoffice-writer-nogui python3-uno tini \
 && rm -rf /var/lib/apt/lists/*
# Each process has a container of its own, so they have the same port for probes.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 HEALTH_PORT=8081
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=console /app/console/dist ./console/dist
# Bundled once, so that a worker starts two seconds sooner, and every worker of this image runs the same workflows.
RUN node bin/bundle.ts /app/workflows.js
ENV WORKFLOW_BUNDLE=/app/workflows.js
# Nothing of /app is theirs to change; what they write is in /tmp.
USER node
EXPOSE 8080
# As in the local run, three probes of five seconds. Docker only marks a container as unhealthy; an orchestrator restarts it.
HEALTHCHECK --interval=5s --timeout=5s --retries=3 --start-period=60s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.HEALTH_PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "api/server.ts"]
