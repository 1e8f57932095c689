# Builds the image of the server from a checkout:
#   docker build --tag chancery .
# For other platforms too, without emulation:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag chancery .
ARG NODE_IMAGE=docker.io/library/node:26-slim

FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# The last stage runs no command, because the machine that builds may not be of its platform.
RUN mkdir -p -m 755 /image/usr/local/bin /image/etc/chancery /image/opt/chancery && mkdir -m 700 /data \
  && ln -s /opt/chancery/bin/chancery.mjs /image/usr/local/bin/chancery \
  && cp -R bin dist package.json CHANGELOG.md SECURITY.md LICENSE /image/opt/chancery

FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS packages
ARG TARGETARCH
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
# npm's name for amd64 is x64. The packages node-* contain a Node, which the image has already.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    --os=linux --libc=glibc --cpu="$(echo "${TARGETARCH:-$(node -p process.arch)}" | sed s/amd64/x64/)" \
  && rm -rf node_modules/node-* node_modules/.bin

FROM $NODE_IMAGE
COPY --from=packages /packages/node_modules /opt/chancery/node_modules
COPY --from=build /image /
COPY --from=build --chown=1000:1000 /data /var/lib/chancery
ENV NODE_ENV=production CHANCERY_HOST=0.0.0.0 CHANCERY_DATA=/var/lib/chancery
# chancery.config.json may be mounted here.
WORKDIR /etc/chancery
USER 1000:1000
VOLUME /var/lib/chancery
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["chancery", "health"]
ENTRYPOINT ["chancery"]
CMD ["serve"]
