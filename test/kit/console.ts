/** Requests to handlers of the console and of the API, in the process of the test. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import { type NewToken, organizationStore } from '../../shared/store/organizations.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import type { Table } from '../../shared/store/table.ts';
import { type EmptyTable, emptyTable } from './table.ts';

/** An empty table, which the handlers use from now on. */
export async function consoleTable(...of: Parameters<typeof emptyTable>): Promise<EmptyTable> {
  const table = await emptyTable(...of);
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: table.endpoint, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ TABLE_NAME: 'table', LOG_LEVEL: 'error' },
  });
  return table;
}

/** The text of a session that a new token of an organization starts. */
export async function newSession(
  table: Table,
  organization: string,
  given: Partial<NewToken> = {},
  now = new Date(),
): Promise<string> {
  const token = { name: 'me', label: 'svc', ...given };
  const { info } = await organizationStore(table).createToken(organization, token, now);
  return sessionStore(table).start(info, 'Browser', now);
}

// Middleware answers 500 when this time is up, and one second is too little on a busy machine.
const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

export interface Sent {
  /** The text of a session; several of them are as many cookies. */
  readonly cookie?: string | readonly string[];
  /** Further cookies, as `name=value`. */
  readonly cookies?: readonly string[];
  readonly query?: string;
  readonly id?: string;
  /** The parameters of the path beside `id`. */
  readonly params?: Readonly<Record<string, string>>;
  /** A body of JSON, instead of a form. */
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The milliseconds that the invocation has. */
  readonly remaining?: number;
}

export function send<Dependencies>(
  handler: EndpointHandler<Dependencies>,
  { cookie, cookies = [], query = '', id, params, json, form, headers = {}, remaining }: Sent = {},
) {
  const { method, path } = handler.route;
  const parameters: Readonly<Record<string, string>> = { ...(id !== undefined && { id }), ...params };
  return handler(
    {
      rawPath: path.replaceAll(/\{(\w+)\}/g, (text, name) => parameters[name] ?? text),
      rawQueryString: query,
      cookies: ['other=1', ...cookies, ...[cookie ?? []].flat().map((text) => `__Host-session=${text}`)],
      headers: {
        'content-type': json === undefined ? 'application/x-www-form-urlencoded' : 'application/json',
        ...headers,
      },
      pathParameters: parameters,
      body: json === undefined ? new URLSearchParams(form).toString() : JSON.stringify(json),
      isBase64Encoded: false,
      requestContext: { requestId: 'r', http: { method, sourceIp: '192.0.2.1' } },
    } as unknown as APIGatewayProxyEventV2,
    remaining === undefined ? context : ({ getRemainingTimeInMillis: () => remaining } as Context),
  );
}

/** The text of the session that a response starts. */
export const cookieIn = (headers: Awaited<ReturnType<typeof send>>['headers']) =>
  /^__Host-session=([\w.-]+);/.exec(String(headers?.['set-cookie']))?.[1];

type Answer = Awaited<ReturnType<typeof send>>;

/** Where a form leads, without the ID of what it did. */
export const ledTo = ({ headers }: Answer): string =>
  String(headers?.location).replace(/[?&]flash=[\w-]{22}/, '');

/** The page of `handler` that the redirect of a form leads to. */
export function follow<Dependencies>(
  handler: EndpointHandler<Dependencies>,
  { statusCode, headers }: Answer,
  sent: Sent,
) {
  if (statusCode !== 303) throw new Error(`a form was answered with ${statusCode}`);
  const [, query = ''] = String(headers?.location).split('#')[0]?.split('?') ?? [];
  return send(handler, { ...sent, query });
}
