import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** The gateway event, with what the middlewares add to it. */
export interface EndpointEvent extends APIGatewayProxyEventV2 {
  organization?: string;
  parsed?: { path?: unknown; query?: unknown; body?: unknown; form?: unknown };
}
