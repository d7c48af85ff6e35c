import { Stack, Validations } from 'aws-cdk-lib';
import {
  HttpMethod,
  HttpRoute,
  type HttpRouteIntegrationBindOptions,
  HttpRouteKey,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { routes } from '../../functions/routes.ts';
import { methodsOf, pathsOf } from '../../shared/runtime/http/route.ts';
import { fallback } from './api.ts';
import { makeStage } from './api-stage.ts';
import type { FunctionRow } from './function.ts';
import { formatOf, isInService } from './placement.ts';
import type { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/**
 * The routes of the HTTP API to the functions of its endpoints. They are half of all resources, and a stack can have only
 * 500. Moving a route between stacks interrupts it; the API, whose ID is part of its URL, and the functions stay.
 */
export class RoutesStack extends Stack {
  constructor(
    scope: Construct,
    settings: Settings,
    { api, functions }: Pick<ServiceStack, 'api' | 'functions'>,
  ) {
    super(scope, stackName(settings, 'routes'), stackProps(settings, 'routes', 'the routes of the API'));
    const integrationOf = (row: Pick<FunctionRow, 'name' | 'handler'>) => {
      const made = functions.get(row.name);
      if (made === undefined) throw new Error(`no stack has the function ${row.name}`);
      return new OncePermitted(row.name, made, !isInService(row));
    };
    const { http: httpApi } = api;
    const made: HttpRoute[] = [];
    for (const row of Object.values(routes)) {
      const integration = integrationOf(row);
      for (const path of pathsOf(row)) {
        for (const method of methodsOf(row)) {
          const routeKey = HttpRouteKey.with(path, HttpMethod[method]);
          const id = `${row.name}${formatOf(row, path)}${method}`;
          made.push(new HttpRoute(this, id, { httpApi, routeKey, integration }));
        }
      }
    }
    const integration = integrationOf(fallback);
    made.push(new HttpRoute(this, 'Default', { httpApi, routeKey: HttpRouteKey.DEFAULT, integration }));
    makeStage(this, settings, api, made);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason:
        'endpoint() authenticates in each function, so that errors have the API format and revoked tokens stop working immediately.',
    });
  }
}

/** A permission covers all methods of a path, so the routes of a path need only one; some functions already have it. */
class OncePermitted extends HttpLambdaIntegration {
  readonly #isPermitted: boolean;
  readonly #permittedPaths = new Set<string | undefined>();

  constructor(id: string, handler: IFunction, isPermitted: boolean) {
    super(id, handler);
    this.#isPermitted = isPermitted;
  }

  protected override completeBind(options: HttpRouteIntegrationBindOptions): void {
    const { path } = options.route;
    if (!this.#isPermitted && !this.#permittedPaths.has(path)) super.completeBind(options);
    this.#permittedPaths.add(path);
  }
}
