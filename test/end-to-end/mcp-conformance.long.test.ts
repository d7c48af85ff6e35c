/** The official conformance suite of the Model Context Protocol, without the scenarios that need tools of its own. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { fromNpm } from '../kit/outside-packages.ts';
import { atEnd } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list'];

/** The suite cannot send a token, so this adds it. */
const withToken = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const answer = await fetch(`${service.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { ...(headers as Record<string, string>), authorization: `Bearer ${service.token}` },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const type = answer.headers.get('content-type');
  response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
  response.end(await answer.text());
});

const service = await useService({ API_RATE_PER_MINUTE: '0' });
await once(withToken.listen(0, '127.0.0.1'), 'listening');
atEnd(() => withToken.close());

test.each(SCENARIOS)('passes %s', async (scenario) => {
  const found = await fromNpm(['@modelcontextprotocol/conformance@0.1.16']);
  if ('missing' in found) return void process.stderr.write(`(skipped: ${found.missing})\n`);
  const suite = join(found.folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const url = `http://127.0.0.1:${(withToken.address() as AddressInfo).port}/mcp`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [suite, 'server', '--url', url, '--scenario', scenario],
    { timeout: 60_000 },
  );
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});
