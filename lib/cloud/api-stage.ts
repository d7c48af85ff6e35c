/** The stage of the HTTP API: what it logs, and how many requests it accepts. */
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { routes } from '../../functions/routes.ts';
import { methodsOf, pathsOf } from '../../shared/runtime/http/route.ts';
import type { Api } from './api.ts';
import { requestsPerSecondOf } from './public-limits.ts';
import type { Settings } from './settings.ts';

/** One line of the access log. The path is omitted, because it can contain the secret id of a shared result. */
export const accessLogFields = {
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  clientAddress: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integrationLatency',
  functionError: '$context.integrationErrorMessage',
};

/** Bursts may reach twice the rate. */
const BURST = 2;

/** Makes the stage. API Gateway rejects limits of routes that do not exist yet, so it depends on them. */
export function makeStage(
  scope: Construct,
  settings: Settings,
  { http, domainName, accessLog }: Pick<Api, 'http' | 'domainName' | 'accessLog'>,
  made: readonly HttpRoute[],
): void {
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: http,
    stageName: '$default',
    autoDeploy: true,
    throttle: {
      rateLimit: settings.requestsPerSecond,
      burstLimit: settings.requestsPerSecond * BURST,
    },
    ...(domainName === undefined ? {} : { domainMapping: { domainName } }),
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
    },
  });
  stage.node.addDependency(...made);
  // CDK's own stage has no limits of single routes.
  (stage.node.defaultChild as CfnStage).routeSettings = routeSettings(settings);
}

/** The limits of routes that accept fewer requests than the API, by route key. */
function routeSettings(settings: Settings): Readonly<Record<string, object>> {
  const limited = Object.values(routes).flatMap((row) => {
    const rate = requestsPerSecondOf(row, settings);
    const limit = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: rate * BURST };
    const keys = pathsOf(row).flatMap((path) => methodsOf(row).map((method) => `${method} ${path}`));
    return rate < settings.requestsPerSecond ? keys.map((key) => [key, limit] as const) : [];
  });
  return Object.fromEntries(limited);
}
