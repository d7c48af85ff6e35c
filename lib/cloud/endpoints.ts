import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { routes } from '../../functions/routes.ts';
import { pathsOf } from '../../shared/runtime/http/route.ts';
import { formatOf, stackOf } from './placement.ts';
import type { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/**
 * The functions of the endpoints of one of the stacks beside `service`, because a stack can have only 500 resources and 200
 * outputs. The permissions for the gateway to call them are here, because the stack of the routes has no room for them.
 */
export class EndpointsStack extends Stack {
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(
    scope: Construct,
    settings: Settings,
    part: 'endpoints' | 'people',
    { api, makeFunction }: Pick<ServiceStack, 'api' | 'makeFunction'>,
  ) {
    super(
      scope,
      stackName(settings, part),
      stackProps(settings, part, part === 'people' ? 'functions for people' : 'more functions of the API'),
    );
    const place = new Construct(this, 'Endpoints');
    const rows = Object.values(routes).filter((row) => stackOf(row) === part);
    this.functions = new Map(
      rows.map((row) => {
        const made = makeFunction(place, row);
        for (const path of pathsOf(row)) {
          const allRoutesOfPath = `*/*${path}`;
          made.addPermission(`Gateway${formatOf(row, path)}`, {
            principal: new ServicePrincipal('apigateway.amazonaws.com'),
            sourceArn: this.formatArn({
              service: 'execute-api',
              resource: api.http.apiId,
              resourceName: allRoutesOfPath,
            }),
          });
        }
        return [row.name, made];
      }),
    );
  }
}
