# One image for all services, the migration Job and the operator. `npm run image` prepares the build context, which
# has one folder per layer, and builds this file. Nothing is installed here, so that a build needs no registry.
# The tag with the suffix -deno has the same layers on an image of Deno: BASE=denoland/deno:debian-2.9.5
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS suite
ARG VERSION
LABEL org.opencontainers.image.title="legal-suite" \
      org.opencontainers.image.description="The services and the operator of the legal suite" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY ocr/ /
COPY fonts/ /
COPY dependencies/ /
COPY application/ /
WORKDIR /app
ENV NODE_ENV=production
# Files belong to root and are not writable. Pods mount a writable /tmp.
USER 10001:10001
CMD ["node", "services/_run/node.ts"]

# For development (Tiltfile): services run from a writable copy and restart when a source changes.
FROM suite AS dev
COPY --chmod=755 dev/node /usr/local/sbin/node
