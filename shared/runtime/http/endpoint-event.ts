import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { TokenInfo } from '../../store/api-tokens.ts';
import type { Flash } from '../../store/flashes.ts';
import type { Session } from '../../store/sessions.ts';

/** The gateway event, with what the middlewares add to it. */
export interface EndpointEvent extends APIGatewayProxyEventV2 {
  organization?: string;
  token?: TokenInfo;
  session?: Session;
  /** What forms of the session have to contain. */
  formToken?: string;
  /** What a form did that led to this page. */
  flash?: Flash | undefined;
  /** The fields of a form, before they are parsed. */
  typed?: Readonly<Record<string, string>>;
  /** Headers of the response, whether it is a success or an error. */
  responseHeaders?: Readonly<Record<string, string>>;
  parsed?: { path?: unknown; query?: unknown; body?: unknown; form?: unknown };
}
