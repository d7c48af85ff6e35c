import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { readSettings } from '../../../lib/cloud/config.ts';
import { reservedConcurrencyOf } from '../../../lib/cloud/public-limits.ts';
import { isPublicTool, methodsOf, type Route } from '../../../shared/runtime/http/route.ts';
import type { Deployed } from './deployed.ts';
import { prod, synthesize } from './synthesize.ts';

const rows = Object.values<Route>(routes);
const tools = rows.filter(isPublicTool);

interface Limit {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** The limits of single routes. */
function limitsOf(deployed: Deployed): Readonly<Record<string, Limit>> {
  const [stage] = deployed.all('AWS::ApiGatewayV2::Stage');
  return (stage as { RouteSettings: Record<string, Limit> }).RouteSettings;
}

test('the tools are the public routes that work for anyone', () => {
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'checkAnyDomain',
    'checkSpf',
    'createTestSession',
    'saveDomainCheck',
    'saveSpfCheck',
    'showDomainCheck',
    'showSpfChecker',
    'signIn',
    'startTest',
  ]);
});

/** Few of both. */
const small = { ...prod, requestsPerSecond: 1, lambdaConcurrency: 200 };

describe('requests per second', () => {
  const limits = limitsOf(synthesize(prod));
  const rateOf = ({ method, path }: Route) => limits[`${method} ${path}`]?.ThrottlingRateLimit;

  test('are limited for each public route, with all of its methods, and for no other route', () => {
    const open = rows.filter(({ access }) => access === 'public');
    const keys = open.flatMap((row) => methodsOf(row).map((method) => `${method} ${row.path}`));
    expect(Object.keys(limits).toSorted()).toEqual(keys.toSorted());
  });

  test('are fewer for tools than for other public routes, and fewer there than for the API', () => {
    for (const tool of tools) expect([tool.name, rateOf(tool)]).toEqual([tool.name, 5]);
    expect(rateOf(routes.home)).toBe(25);
    expect(rateOf(routes.listDomains)).toBeUndefined();
    for (const { ThrottlingRateLimit, ThrottlingBurstLimit } of Object.values(limits)) {
      expect(ThrottlingBurstLimit).toBe(2 * ThrottlingRateLimit);
    }
  });

  test('of all tools together are less than half of those of the API', () => {
    expect(tools.reduce((sum, tool) => sum + (rateOf(tool) ?? 0), 0)).toBeLessThan(50);
  });

  test('are at least one', () => {
    const few = Object.values(limitsOf(synthesize(small)));
    for (const { ThrottlingRateLimit } of few) expect(ThrottlingRateLimit).toBeGreaterThanOrEqual(1);
  });

  test('are set after the routes, because API Gateway rejects limits of routes that do not exist', () => {
    const { Resources } = synthesize(prod).template('routes');
    const of = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
    const [[, stage] = []] = of('AWS::ApiGatewayV2::Stage');
    expect(stage?.DependsOn).toEqual(
      expect.arrayContaining(of('AWS::ApiGatewayV2::Route').map(([id]) => id)),
    );
  });
});

describe('concurrent functions', () => {
  /** The reserved concurrency of each function that has any, by its description. */
  const reservedIn = (deployed: Deployed) =>
    Object.fromEntries(
      deployed
        .all('AWS::Lambda::Function')
        .flatMap(({ Description, ReservedConcurrentExecutions: reserved }) =>
          reserved === undefined ? [] : [[String(Description), Number(reserved)]],
        ),
    );
  const totalOf = (lambdaConcurrency: number) =>
    rows.reduce(
      (sum, row) => sum + (reservedConcurrencyOf(row, readSettings({ ...prod, lambdaConcurrency })) ?? 0),
      0,
    );

  test('are reserved for the tools only', () => {
    const reserved = reservedIn(synthesize(small));
    expect(Object.keys(reserved).toSorted()).toEqual(tools.map(({ summary }) => summary).toSorted());
    expect(Object.values(reserved).reduce((sum, one) => sum + one, 0)).toBe(totalOf(200));
    expect(reservedIn(synthesize(prod))).toEqual({});
  });

  test.each([200, 1000])('of the tools get at most a quarter of %i', (lambdaConcurrency) => {
    expect(totalOf(lambdaConcurrency)).toBeLessThanOrEqual(lambdaConcurrency / 4);
    expect(totalOf(lambdaConcurrency)).toBeGreaterThan(lambdaConcurrency / 5);
  });

  test('leave the 100 that AWS does not allow to reserve', () => {
    expect(totalOf(110)).toBe(tools.length);
  });

  test.each([0, 108])('are not reserved with a quota of %i', (lambdaConcurrency) => {
    expect(totalOf(lambdaConcurrency)).toBe(0);
  });
});
