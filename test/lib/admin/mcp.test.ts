import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { adminInProcess } from '../../kit/admin.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { bootService } from '../../kit/service.ts';
import { use } from '../../kit/use.ts';

const main = fileURLToPath(new URL('../../../bin/mcp.ts', import.meta.url));

const server = await use(
  startDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
  }),
);

/** Starts the command, and introduces a client to it. */
async function started(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, DNS_SERVERS: `127.0.0.1:${server.port}`, PROBE_SMTP: 'off', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result } = JSON.parse(String((await lines.next()).value));
    return result;
  };
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  expect((await ask(1, 'initialize', client)).serverInfo.name).toBe('email-domain-security-monitor');
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = await ask(2, 'tools/list', {});
  return {
    tools: tools.map(({ name }: { name: string }) => name),
    /** What a tool answers. */
    async call(name: string, given: object) {
      const { content, isError = false } = await ask(3, 'tools/call', { name, arguments: given });
      return { isError, text: content[0].text as string };
    },
    async end() {
      child.stdin.end();
      expect(await once(child, 'close')).toEqual([0, null]);
    },
  };
}

test('answers over standard input and output about any domain, until the input ends', async () => {
  const { tools, call, end } = await started([]);
  expect(tools).toEqual(['check_domain', 'explain_finding']);
  const { text } = await call('check_domain', { domain: 'example.com', usageType: 'parked' });
  expect(text).toContain('"record": "v=DMARC1; p=reject"');
  await end();
});

test('answers about the domains of one organization in a data folder', async () => {
  const service = await bootService();
  const environment = { DATA_DIR: service.dataDir };
  const admin = async (...args: string[]) => (await adminInProcess(args, environment)).output;
  const ids = [];
  for (const name of ['Own', 'Other']) {
    const [id = ''] = (await admin('org', 'create', name)).split(' ');
    await admin('domain', 'add', id, `${name.toLowerCase()}.example`, '--usage', 'parked');
    ids.push(id);
  }
  const { tools, call, end } = await started(['--organization', ids[0] ?? ''], environment);
  expect(tools).toEqual(expect.arrayContaining(['check_domain', 'list_senders', 'get_readiness']));
  expect(await call('list_senders', { domain: 'own.example' })).toEqual({
    isError: false,
    text: expect.stringContaining('total'),
  });
  expect(await call('list_senders', { domain: 'other.example' })).toEqual({
    isError: true,
    text: 'The domain does not exist.',
  });
  await end();
  await service.remove();
});
