/** `/example-internet/records`: how a newcomer publishes a record below `.test`, as an owner would at a registrar. */
import * as z from 'zod/mini';
import { contains, parseIp, parsePrefix, unmapped } from '../../shared/protocol/ip.ts';
import type { ExampleInternet } from './example-internet/index.ts';
import type { LocalEndpoint } from './gateway/server.ts';

export const PUBLISH_PATH = '/example-internet/records';

const publication = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() });

/** Who is on this machine needs no token to publish; whoever else can reach it may not. */
const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => parsePrefix(text) ?? []);

export function publishEndpoint({
  publish,
  withdraw,
}: Pick<ExampleInternet, 'publish' | 'withdraw'>): LocalEndpoint {
  return async (method, body, client) => {
    if (!isLoopback(client)) return refusal(403, 'Records are published from this machine only.');
    if (method !== 'POST' && method !== 'DELETE')
      return refusal(405, 'POST a record here, or DELETE one that was published.');
    const parsed = publication.safeParse(readJson(body));
    if (!parsed.success) {
      const form = '{"name": "_svc.good.test", "type": "TXT", "value": "..."}';
      return refusal(400, `The body must be JSON of the form ${form}.`);
    }
    const record = parsed.data;
    if (method === 'DELETE') {
      return withdraw(record)
        ? { status: 200, body: { withdrawn: record } }
        : refusal(404, 'No such record was published.');
    }
    const problem = publish(record);
    return problem === undefined ? { status: 200, body: { published: record } } : refusal(400, problem);
  };
}

function isLoopback(client: string): boolean {
  const address = parseIp(client);
  return address !== undefined && LOOPBACK.some((block) => contains(block, unmapped(address)));
}

const refusal = (status: number, message: string) => ({ status, body: { message } });

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
