/** Debian's reverse proxies in front of a service, as the guide sets them up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

export const PROXIES = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' } as const;

export type ProxyName = keyof typeof PROXIES;

export const isInstalled = (name: ProxyName): boolean => existsSync(PROXIES[name]);

interface ProxyOptions {
  readonly port: number;
  /** The HTTP port of the service. */
  readonly servicePort: number;
  /** PEM. */
  readonly certificate: { readonly chain: string; readonly key: string };
}

type Configure = (
  options: ProxyOptions,
  folder: string,
) => { readonly config: string; readonly args: string[] };

const configurations: Readonly<Record<ProxyName, Configure>> = {
  nginx: ({ port, servicePort }, folder) => ({
    config: `daemon off; pid ${folder}/pid; error_log stderr; events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    location / {
      proxy_pass http://127.0.0.1:${servicePort};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}`,
    args: ['-p', folder, '-c', `${folder}/config`],
  }),
  caddy: ({ port, servicePort }, folder) => ({
    config: `{
  admin off
  auto_https off
}
https://:${port} {
  tls ${folder}/cert.pem ${folder}/key.pem
  reverse_proxy 127.0.0.1:${servicePort}
}`,
    args: ['run', '--adapter', 'caddyfile', '--config', `${folder}/config`],
  }),
};

/** Starts the proxy on the port, with TLS. */
export async function startProxy(name: ProxyName, options: ProxyOptions): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const { config, args } = configurations[name](options, folder);
  writeFileSync(join(folder, 'config'), config);
  writeFileSync(join(folder, 'cert.pem'), options.certificate.chain);
  writeFileSync(join(folder, 'key.pem'), options.certificate.key);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(PROXIES[name], args, { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
      return isListening(options.port);
    });
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
