import { Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import type { Settings } from './config.ts';
import type { FunctionRow, MakeFunction } from './function.ts';
import { keeping } from './stage.ts';

/** The function behind `$default`: it needs nothing but the table of routes. */
const fallback: FunctionRow = {
  name: 'fallback',
  handler: fallbackHandler,
  summary: 'Answers what no route takes',
  timeoutSeconds: 5,
  memoryMegabytes: 256,
  uses: [],
};

/** The HTTP API. Its address is known before its routes, so that functions can be told it. */
export class Api extends Construct {
  readonly url: string;
  readonly #http: HttpApi;

  constructor(scope: Construct, id: string, { stage, requestsPerSecond }: Settings) {
    super(scope, id);
    this.#http = new HttpApi(this, 'Http', { apiName: Stack.of(this).stackName, createDefaultStage: false });
    const { logRetention, removalPolicy } = keeping[stage];
    const accessLog = new LogGroup(this, 'AccessLog', { retention: logRetention, removalPolicy });
    new HttpStage(this, 'Stage', {
      httpApi: this.#http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: requestsPerSecond, burstLimit: requestsPerSecond * 2 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    this.url = this.#http.apiEndpoint;
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason:
        'endpoint() authenticates inside each function: its own error bodies, and a revoked token ends at once.',
    });
  }

  /** A function for each row of `functions/routes.ts`, and one for everything else. */
  serve(makeFunction: MakeFunction): void {
    const integrate = (row: FunctionRow) => new HttpLambdaIntegration(row.name, makeFunction(this, row));
    for (const row of Object.values(routes)) {
      this.#http.addRoutes({
        path: row.path,
        methods: [HttpMethod[row.method]],
        integration: integrate(row),
      });
    }
    new HttpRoute(this, 'Default', {
      httpApi: this.#http,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrate(fallback),
    });
  }
}

/** One line of the access log. The path is left out: ids in it can be all that a shared result is protected by. */
const accessLogFields = {
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
