import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DnsServer, startDnsServer } from '../../kit/dns-server.ts';

const main = fileURLToPath(new URL('../../../bin/mcp.ts', import.meta.url));

let server: DnsServer;
beforeAll(async () => {
  server = await startDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
  });
});
afterAll(() => server.stop());

test('answers over standard input and output about any domain, until the input ends', async () => {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, DNS_SERVERS: `127.0.0.1:${server.port}`, PROBE_SMTP: 'off' },
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
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['check_domain', 'explain_finding']);
  const given = { domain: 'example.com', usageType: 'parked' };
  const { content } = await ask(3, 'tools/call', { name: 'check_domain', arguments: given });
  expect(content[0].text).toContain('"record": "v=DMARC1; p=reject"');
  child.stdin.end();
  expect(await once(child, 'close')).toEqual([0, null]);
});
