/** The image of `Containerfile`, on a base that debootstrap makes, run as the compose file does: read-only, without rights. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWith } from '../../kit/describe-with.ts';
import { freePort } from '../../kit/free-port.ts';
import { until } from '../../kit/until.ts';
import { useFolder } from '../../kit/use.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const USER = 10_001;
const BUILD_MILLISECONDS = 1_200_000;

const missing = ['/usr/bin/buildah', '/usr/sbin/debootstrap'].find((program) => !existsSync(program));
const lacking = process.getuid?.() === 0 ? missing && `no ${missing}` : 'needs root';

interface ImageConfig {
  readonly Env: readonly string[];
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

describeWith(lacking, 'the image', () => {
  const folder = useFolder('image');
  const running: ChildProcess[] = [];
  let config: ImageConfig;
  let rootfs: string;

  /** Copies every layer, where the file system does not offer the other one. */
  let driver = 'overlay';

  /** With storage of its own, so that no other image is used or changed. */
  function buildah(...args: string[]): string {
    const storage = ['--root', join(folder, driver), '--runroot', join(folder, `${driver}-run`)];
    const all = [...storage, '--storage-driver', driver, ...args];
    try {
      return execFileSync('buildah', all, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`buildah ${args[0]} failed:\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
    }
  }

  /** Debian, and the Node.js and npm of this test. */
  function makeBase(): void {
    const base = join(folder, 'base');
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base], {
      stdio: 'ignore',
    });
    const local = join(base, 'usr/local');
    execFileSync('cp', [process.execPath, join(local, 'bin/node')]);
    const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim();
    mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
    execFileSync('cp', ['-a', join(npm, '../..'), join(local, 'lib/node_modules/npm')]);
    execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm')]);
    const container = buildah('from', 'scratch');
    buildah('add', container, base, '/');
    buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', container);
    // Some networks have an authority of their own.
    const { NODE_EXTRA_CA_CERTS } = process.env;
    if (NODE_EXTRA_CA_CERTS !== undefined) {
      buildah('add', container, NODE_EXTRA_CA_CERTS, '/usr/local/share/extra-ca.pem');
      buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/extra-ca.pem', container);
    }
    buildah('commit', '--rm', container, 'localhost/base');
    rmSync(base, { recursive: true });
  }

  beforeAll(() => {
    try {
      buildah('mount', buildah('from', 'scratch'));
    } catch {
      driver = 'vfs';
    }
    makeBase();
    const npmrc = join(homedir(), '.npmrc');
    buildah(
      ...['build', '--format', 'docker', '--isolation', 'chroot', '--network', 'host'],
      ...(existsSync(npmrc) ? ['--volume', `${npmrc}:/usr/local/etc/npmrc:ro`] : []),
      ...['--build-arg', 'BASE=localhost/base', '--tag', 'localhost/domain-monitor', '.'],
    );
    config = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/domain-monitor')).Docker.config;
    rootfs = buildah('mount', buildah('from', 'localhost/domain-monitor'));
  }, BUILD_MILLISECONDS);
  afterAll(async () => {
    for (const child of running.filter(({ exitCode }) => exitCode === null)) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    buildah('umount', '--all');
  }, BUILD_MILLISECONDS);

  /** Runs a command in the image: its files read-only, without capabilities, and its volume in this folder. */
  function run(
    data: string,
    command: readonly string[],
    settings: Record<string, string> = {},
  ): ChildProcess {
    const script = `set -e
mount --bind "$ROOTFS" "$ROOTFS"
mount -o remount,ro,bind "$ROOTFS"
mount -t proc proc "$ROOTFS/proc"
mount -t tmpfs tmpfs "$ROOTFS/tmp"
mount --rbind /dev "$ROOTFS/dev"
mount --bind "$DATA" "$ROOTFS/data"
exec chroot "$ROOTFS" /usr/bin/env -i -C "$DIR" $SETTINGS setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;
    const given = [...config.Env, ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)];
    const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
      env: {
        PATH: process.env.PATH,
        ...{ ROOTFS: rootfs, DATA: data, DIR: config.WorkingDir, SETTINGS: given.join(' ') },
      },
    });
    running.push(child);
    return child;
  }

  function outputOf(child: ChildProcess): () => string {
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        text += chunk;
      });
    return () => text;
  }

  test('says what it needs', () => {
    const { start } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
    expect(config).toMatchObject({
      User: `${USER}:${USER}`,
      Volumes: { '/data': {} },
      Entrypoint: start.split(' '),
    });
    expect(config.Env).toEqual(expect.arrayContaining(['DATA_DIR=/data', 'LISTEN_ADDRESS=0.0.0.0']));
    expect(readdirSync(join(rootfs, 'app')).toSorted()).not.toContain('test');
  });

  test('runs read-only as a user without rights, is healthy, stops cleanly, and keeps its volume', async () => {
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    execFileSync('chown', [`${USER}:${USER}`, data]);
    const tokens: string[] = [];
    for (let start = 1; start <= 2; start += 1) {
      const [port, smtpPort] = [await freePort(), await freePort()];
      const settings = { PORT: String(port), SMTP_PORT: String(smtpPort) };
      const child = run(data, config.Entrypoint, settings);
      const output = outputOf(child);
      await until(() => {
        if (child.exitCode !== null) throw new Error(output());
        return output().includes('Press Ctrl-C');
      });
      const [, ...probe] = config.Healthcheck.Test;
      const [healthy] = await once(run(data, probe, settings), 'close');
      const admin = run(data, ['node', 'bin/admin.ts', 'org', 'list'], settings);
      const listed = outputOf(admin);
      await once(admin, 'close');
      expect([healthy, listed()]).toEqual([0, expect.stringContaining('default')]);
      tokens.push(execFileSync('cat', [join(data, 'api-token')], { encoding: 'utf8' }));
      const written = run(data, ['touch', '/app/x']);
      expect(await once(written, 'close')).toEqual([1, null]);
      child.kill('SIGTERM');
      expect(await once(child, 'close')).toEqual([0, null]);
      const [unhealthy] = await once(run(data, probe, settings), 'close');
      expect(unhealthy).toBe(1);
    }
    expect(tokens[0]).toBe(tokens[1]);
  });
});
