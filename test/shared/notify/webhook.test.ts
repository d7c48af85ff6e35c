import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod/mini';
import { routes } from '../../../functions/routes.ts';
import { type Alert, alertTypes } from '../../../shared/alerts/alert.ts';
import { webhookRequest } from '../../../shared/notify/webhook.ts';
import { newWebhookSecret } from '../../../shared/notify/webhook-target.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { codeBlocks, readDocument } from '../../docs/documents.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const now = new Date('2026-03-01T10:02:03.456Z');
const secret = 'whsec_test';
const receiver = { secret, format: 'json', hostUrl: 'https://monitor.acme.org', now } as const;

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
const document: any = openApiDocument(Object.values(routes), {
  hostUrl: 'https://monitor.acme.org',
  version: '1',
});
const described = document.webhooks.alerts.post;
const schema = described.requestBody.content['application/json'].schema;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const validate = ajv.compile({ ...schema, components: document.components });

interface Described {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: { readonly type?: Described; readonly metadata?: Described };
}

function resolved(described: Described): Described {
  const name = described.$ref?.split('/').at(-1);
  return name === undefined ? described : { ...described, ...document.components.schemas[name] };
}

/** The value that a schema gives as its example. */
function sampleOf(described: Described): unknown {
  const known = resolved(described);
  if (known.examples !== undefined) return known.examples[0];
  if (known.const !== undefined) return known.const;
  if (known.enum !== undefined) return known.enum[0];
  if (known.anyOf?.[0] !== undefined) return sampleOf(known.anyOf[0]);
  if (known.items !== undefined) return [sampleOf(known.items)];
  const [type] = [known.type].flat();
  if (type === 'object') return sampleObject(known);
  return type === 'string' ? textIn(known.format) : type === 'boolean' || 1;
}

const textIn = (format = ''): string =>
  ({
    uuid: '018f0000-0000-8000-8000-000000000009',
    'date-time': '2026-03-01T06:00:00.000Z',
    date: '2026-02-28',
  })[format] ?? 'text';

const sampleObject = ({ properties = {} }: Described): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, sampleOf(property)]));

/** The alerts that the examples in the OpenAPI document make, one for each form of the facts of each type. */
const samples = (Object.keys(alertTypes) as (keyof typeof alertTypes)[]).flatMap((type) => {
  const { discriminator } = document.components.schemas.Alert;
  const one = resolved({ $ref: discriminator.mapping[type] });
  const { metadata } = alertTypes[type];
  const facts = metadata instanceof z.ZodMiniPipe ? metadata.def.out : metadata;
  const forms = 'options' in facts.def ? facts.def.options : [facts];
  return forms.map(
    (form) =>
      [type, { ...sampleObject(one), metadata: sampleOf(z.toJSONSchema(form) as Described) }] as const,
  );
});

describe('a request to a webhook', () => {
  test.each(samples)('delivers the example of %s as its type describes it', (type, sample) => {
    const stored = storedAlert({ ...sample, type } as Partial<Alert>);
    const { body } = webhookRequest(madeDelivery(), [stored], receiver);
    validate(JSON.parse(body));
    expect(validate.errors ?? []).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({ version: 1, kind: 'alerts' });
    const { type: delivered, metadata } = JSON.parse(body).alerts[0];
    expect({ type: delivered, metadata }).toEqual({ type, metadata: sample.metadata });
  });

  test('has an example of every alert type', () => {
    expect([...new Set(samples.map(([type]) => type))]).toEqual(Object.keys(alertTypes));
  });

  test('fails validation if a field is changed', () => {
    const { body } = webhookRequest(madeDelivery(), [], receiver);
    expect(validate({ ...JSON.parse(body), alerts: [{}] })).toBe(false);
    expect(validate({ ...JSON.parse(body), version: 2 })).toBe(false);
    expect(validate({ ...JSON.parse(body), id: 1 })).toBe(false);
  });

  test('can have more fields in a later release', () => {
    const { body } = webhookRequest(madeDelivery(), [], receiver);
    expect(validate({ ...JSON.parse(body), more: 1 })).toBe(true);
  });

  test('is signed over its timestamp and its body', () => {
    const { headers, body } = webhookRequest(madeDelivery(), [storedAlert()], receiver);
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'webhook-id': madeDelivery().id,
      'webhook-timestamp': timestamp,
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'X-Domain-Monitor-Delivery': madeDelivery().id,
      'X-Domain-Monitor-Timestamp': timestamp,
      'X-Domain-Monitor-Signature': `v1=${expected}`,
    });
    expect(described.parameters.map(({ name }: { name: string }) => name)).toEqual(
      Object.keys(headers).filter((name) => name !== 'Content-Type'),
    );
  });

  test('is verified by the library of Standard Webhooks', () => {
    const sent = { ...receiver, secret: newWebhookSecret(), now: new Date() };
    const { headers, body } = webhookRequest(madeDelivery(), [storedAlert()], sent);
    const library = new Webhook(sent.secret);
    expect(library.verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(() => library.verify(`${body} `, { ...headers })).toThrow('No matching signature');
    expect(() => new Webhook(newWebhookSecret()).verify(body, { ...headers })).toThrow(
      'No matching signature',
    );
  });

  test('passes only the verification example in docs/api.md', async () => {
    const snippets = codeBlocks(readDocument('docs/api.md'), 'js');
    const snippet = snippets.find((one) => one.includes('isFromMonitor')) ?? '';
    const { isFromMonitor } = await import(`data:text/javascript,${encodeURIComponent(snippet)}`);
    const sent = (at: number) => {
      const { headers, body } = webhookRequest(madeDelivery(), [storedAlert()], {
        ...receiver,
        now: new Date(at),
      });
      // Servers pass header names in lower case.
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { headers: Object.fromEntries(lower), body: Buffer.from(body) };
    };
    const { headers, body } = sent(Date.now());
    const old = sent(Date.now() - 600_000);
    expect([
      isFromMonitor(headers, body, secret),
      isFromMonitor(headers, Buffer.concat([body, Buffer.from(' ')]), secret),
      isFromMonitor(headers, body, 'whsec_other'),
      isFromMonitor({ ...headers, 'x-domain-monitor-timestamp': '0' }, body, secret),
      isFromMonitor({}, body, secret),
      isFromMonitor(old.headers, old.body, secret),
    ]).toEqual([true, false, false, false, false, false]);
  });

  test('has the same body on every attempt, and a new signature', () => {
    const once = webhookRequest(madeDelivery(), [storedAlert()], receiver);
    const again = webhookRequest(madeDelivery(), [storedAlert({ read: true })], {
      ...receiver,
      now: new Date(now.getTime() + 60_000),
    });
    expect(again.body).toBe(once.body);
    expect(again.headers['X-Domain-Monitor-Signature']).not.toBe(once.headers['X-Domain-Monitor-Signature']);
  });

  test('is signed with a 256-bit random secret', () => {
    expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret()).not.toBe(newWebhookSecret());
  });
});
