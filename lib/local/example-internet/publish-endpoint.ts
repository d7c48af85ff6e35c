/**
 * `/example-internet/records`: changes records below `.test`, as a domain owner does at a DNS provider.
 * `/example-internet/webhooks`: what webhooks sent to `hooks.test`.
 */
import * as z from 'zod/mini';
import type { LocalEndpoint } from '../host/gateway/server.ts';
import { jsonIn } from '../stores/json-body.ts';
import type { ExampleInternet } from './index.ts';

export const PUBLISH_PATH = '/example-internet/records';
export const WEBHOOKS_PATH = '/example-internet/webhooks';

const publication = z.object(
  {
    name: z.string('must be a string, such as _svc.good.test'),
    type: z.literal('TXT', 'must be TXT: records of other types cannot be changed here'),
    value: z.string('must be a string: the text of the record'),
  },
  'must be a JSON object',
);

/**
 * Programs on this machine can publish without a token; nobody else can. `hostUrl` is called for each request, because
 * a service on any free port knows its URL only after the start.
 */
export function publishEndpoint(
  { publish, replaceText, withdraw }: Pick<ExampleInternet, 'publish' | 'replaceText' | 'withdraw'>,
  hostUrl: () => string | undefined,
): LocalEndpoint {
  return async ({ method, body, isLocal, origin }) => {
    if (!isLocal)
      return refusal(403, 'You can publish records only from this machine, and not through a proxy.');
    if (origin !== undefined && origin !== hostUrl())
      return refusal(403, 'Web pages of other sites cannot publish records.');
    if (method !== 'POST' && method !== 'PUT' && method !== 'DELETE')
      return refusal(
        405,
        'Use POST to publish a record, PUT to replace the TXT records of a name, or DELETE to withdraw a record.',
      );
    const parsed = publication.safeParse(jsonIn(body));
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path, message }) =>
        path.length === 0 ? `the body ${message}` : `${path.join('.')} ${message}`,
      );
      const form = '{"name": "_svc.good.test", "type": "TXT", "value": "..."}';
      return refusal(400, `Invalid record: ${problems.join('; ')}. For example: ${form}.`);
    }
    const record = parsed.data;
    if (method === 'DELETE') {
      return withdraw(record)
        ? { status: 200, body: { withdrawn: record } }
        : refusal(404, 'This record is not published.');
    }
    const problem = method === 'PUT' ? replaceText(record) : publish(record);
    return problem === undefined ? { status: 200, body: { published: record } } : refusal(400, problem);
  };
}

/** Programs on this machine can read what webhooks sent to `hooks.test`. */
export const webhooksEndpoint =
  ({ webhooks }: Pick<ExampleInternet, 'webhooks'>): LocalEndpoint =>
  async ({ method, isLocal, origin }) => {
    if (!isLocal || origin !== undefined)
      return refusal(403, 'You can read webhooks only from this machine, and not from a web page.');
    if (method !== 'GET') return refusal(405, 'Use GET to read the latest requests of webhooks.');
    return { status: 200, body: { received: webhooks } };
  };

const refusal = (status: number, message: string) => ({ status, body: { message } });
