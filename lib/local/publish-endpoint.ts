/** `POST /example-internet/records`: how a newcomer publishes a record below `.test`, as an owner would at a registrar. */
import * as z from 'zod/mini';
import type { ExampleInternet } from './example-internet/index.ts';
import type { LocalEndpoint } from './gateway/server.ts';

export const PUBLISH_PATH = '/example-internet/records';

const publication = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() });

export function publishEndpoint({ publish }: Pick<ExampleInternet, 'publish'>): LocalEndpoint {
  return async (method, body) => {
    if (method !== 'POST') return { status: 405, body: { message: 'POST a record here.' } };
    const parsed = publication.safeParse(readJson(body));
    if (!parsed.success) {
      const form = '{"name": "_svc.good.test", "type": "TXT", "value": "..."}';
      return { status: 400, body: { message: `The body must be JSON of the form ${form}.` } };
    }
    const { name, type, value } = parsed.data;
    if (!publish(name, type, value)) {
      return { status: 400, body: { message: `Only names below .test can be published here, not ${name}.` } };
    }
    return { status: 200, body: { published: parsed.data } };
  };
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
