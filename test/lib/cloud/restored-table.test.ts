import { expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { prod, synthesize } from './synthesize.ts';

test('functions use a restored table instead of the original one, which is kept', () => {
  const restored = synthesize({ ...prod, restoredTable: 'restored-1' });
  expect(restored.environment(routes.createDomain.summary).TABLE_NAME).toBe('restored-1');
  const service = JSON.stringify(restored.template('service'));
  expect(service).toContain('table/restored-1');
  expect(service).toContain('table/restored-1/index/gsi1');
  expect(restored.all('AWS::DynamoDB::GlobalTable')).toHaveLength(1);
  // The stacks no longer import the original table, so that it can be deleted later.
  expect(service).not.toContain(JSON.stringify(restored.template('data').Outputs?.TableName?.Value));
  expect(JSON.stringify(restored.template('alarms'))).toContain('restored-1');
  expect(JSON.stringify(restored.template('alarms'))).not.toContain('ImportValue');
});

test('the switch to a restored table does not change the stacks that others import from', () => {
  const [before, after] = [synthesize(prod), synthesize({ ...prod, restoredTable: 'restored-1' })];
  for (const part of ['data', 'mail']) {
    expect(JSON.stringify(after.template(part))).toBe(JSON.stringify(before.template(part)));
  }
});
