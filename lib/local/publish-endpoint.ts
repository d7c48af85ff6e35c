/** `/example-internet/records`: how a newcomer publishes a record below `.test`, as an owner would at a registrar. */
import * as z from 'zod/mini';
import type { ExampleInternet } from './example-internet/index.ts';
import type { LocalEndpoint } from './gateway/server.ts';
import { isLoopback } from './loopback.ts';

export const PUBLISH_PATH = '/example-internet/records';

const publication = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() });

/** Who is on this machine needs no token to publish; whoever else can reach it may not. */
/** `hostUrl` is asked for at each request: a service without a port of its own learns it late. */
export function publishEndpoint(
  { publish, withdraw }: Pick<ExampleInternet, 'publish' | 'withdraw'>,
  hostUrl: () => string | undefined,
): LocalEndpoint {
  return async ({ method, body, client, origin }) => {
    if (!isLoopback(client)) return refusal(403, 'Records are published from this machine only.');
    if (origin !== undefined && origin !== hostUrl())
      return refusal(403, 'Records are not published by pages of other sites.');
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

const refusal = (status: number, message: string) => ({ status, body: { message } });

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
