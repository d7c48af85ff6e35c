import { Aws, Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  DomainName,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import type { FunctionRow, MakeFunction } from './function.ts';
import { isInService } from './placement.ts';
import type { Settings } from './settings.ts';
import { keeping } from './stage.ts';

/** The function of the `$default` route; it needs only the table of routes. */
export const fallback = {
  name: 'fallback',
  handler: fallbackHandler,
  summary: 'Answers requests that match no route',
  errorImpact: 'Requests to unknown paths return 500 instead of 404.',
  timeoutSeconds: 5,
  memoryMegabytes: 256,
  uses: [],
} as const satisfies FunctionRow & Pick<Route, 'errorImpact'>;

/** The prefix keeps the account's resource policy short, whose size is limited: one statement covers all such log groups. */
const VENDED_LOGS = '/aws/vendedlogs/';

/** Unique per stack, so that a re-created stack does not conflict with the log group that the old one left. */
const ofThisStack = Fn.select(2, Fn.split('/', Aws.STACK_ID));

/** The custom domain name of the API, and its target in DNS. */
export interface ApiDomain {
  readonly name: string;
  readonly target: string;
  /** The hosted zone ID of the target, for an alias record. */
  readonly hostedZoneId: string;
}

/**
 * The HTTP API and its functions. The API is created first, so that functions can get its URL; its routes are in a stack
 * of their own.
 */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly domain: ApiDomain | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { stage, requestsPerSecond, disableExecuteApiEndpoint } = settings;
    this.http = new HttpApi(this, 'Http', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      disableExecuteApiEndpoint,
    });
    const domainName = this.#ownName(settings);
    this.domain = domainName && {
      // Not `domainName.name`, which is a token until deployment.
      name: settings.apiDomain ?? '',
      target: domainName.regionalDomainName,
      hostedZoneId: domainName.regionalHostedZoneId,
    };
    const { logRetention, removalPolicy } = keeping[stage];
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `${VENDED_LOGS}${Stack.of(this).stackName}/AccessLog/${ofThisStack}`,
      retention: logRetention,
      removalPolicy,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: requestsPerSecond, burstLimit: requestsPerSecond * 2 },
      ...(domainName === undefined ? {} : { domainMapping: { domainName } }),
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
  }

  /** One function for each row of `functions/routes.ts` that belongs to this stack, and one for all other requests. */
  makeFunctions(makeFunction: MakeFunction): void {
    for (const row of [...Object.values(routes).filter(isInService), fallback]) makeFunction(this, row);
  }

  #ownName({ apiDomain, certificateArn }: Settings): DomainName | undefined {
    if (apiDomain === undefined || certificateArn === undefined) return undefined;
    return new DomainName(this, 'Domain', {
      domainName: apiDomain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
  }
}

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
