import Sequencer from '@jest/test-sequencer';

/** What takes minutes, the longest first. */
const longest = [
  'end-to-end/aws/deployment.long',
  'end-to-end/aws/cdk-app.long',
  'lib/package/package.long',
  'end-to-end/accessibility.long',
  'shared/evidence/random.long',
  'end-to-end/documented-commands.long',
  'judges/simulation/simulation.long',
  'end-to-end/host/image.long',
  'shared/ingest/many-rows.long',
  'end-to-end/openapi-clients.long',
];

/** What starts whole services waits the most; what only computes fills the cores afterwards. */
const stages = [...longest.map((name) => `/test/${name}.test.ts`), '/test/end-to-end/', ''];

const stageOf = ({ path }) => stages.findIndex((part) => path.includes(part));

/** Starts long tests first without the durations of an earlier run, which CI does not have. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => stageOf(a) - stageOf(b));
  }
}
