# One image for the API, the worker and the migrations; docker-compose.yml chooses by command.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image has Node 24, and PostgreSQL runs in another container, so the packages that contain them need no install script.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# Temporal's client verifies certificates with the system's CA certificates. The worker renders PDFs by LibreOffice.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libreoffice-writer-nogui python3-uno tini \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
# Bundled once, so that a worker starts two seconds sooner, and every worker of this image runs the same workflows.
RUN node bin/bundle.ts /app/workflows.js
ENV WORKFLOW_BUNDLE=/app/workflows.js
USER node
EXPOSE 8080
ENTRYPOINT ["tini", "--"]
CMD ["node", "api/server.ts"]
