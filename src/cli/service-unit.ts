import { DEFAULT_CONFIG } from '../config/config.ts';
import { LIMITS } from '../kernel/limits.ts';

/** The name of the service, of its user and of its directories. */
export const SERVICE = 'chancery';

/** Places of the service on a machine. */
export const PLACES = {
  unit: `/etc/systemd/system/${SERVICE}.service`,
  /** The working directory: `chancery.config.json` may stand here. */
  configuration: `/etc/${SERVICE}`,
  /** Variables with secrets. systemd reads it as root. */
  environment: `/etc/${SERVICE}/environment`,
  data: `/var/lib/${SERVICE}`,
} as const;

/** A program to run as a service. */
export interface ServiceProgram {
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of `bin/chancery.mjs`. */
  readonly script: string;
}

/** Seconds that a process manager waits between SIGTERM and SIGKILL: the grace, and the most that a stop takes. */
export const STOP_SECONDS = Math.ceil(
  (DEFAULT_CONFIG.shutdown.grace + LIMITS.stopDrain + 2 * LIMITS.stopClose) / 1_000,
);

/**
 * The systemd unit. V8 writes the code that it runs, so `MemoryDenyWriteExecute` is missing; everything else that
 * `systemd-analyze security` asks of a network service is here.
 */
export function serviceUnit({ node, script }: ServiceProgram): string {
  return `# Written by "chancery service install". Change it with "systemctl edit ${SERVICE}".
[Unit]
Description=Chancery document server
Wants=network-online.target
After=network-online.target postgresql.service
StartLimitIntervalSec=60
StartLimitBurst=10

[Service]
Type=exec
User=${SERVICE}
Group=${SERVICE}
WorkingDirectory=${PLACES.configuration}
Environment=NODE_ENV=production CHANCERY_DATA=${PLACES.data}
EnvironmentFile=-${PLACES.environment}
ExecStart=${node} ${script} serve
Restart=always
RestartSec=2
# The server stops its workers itself.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
LimitNOFILE=65536

StateDirectory=${SERVICE}
StateDirectoryMode=0700
UMask=0077

CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
PrivateIPC=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
ProcSubset=pid
DevicePolicy=closed
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service @pkey
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}
