import Sequencer from '@jest/test-sequencer';

/** What starts whole services waits the most, above all the deployment; what only computes fills the cores afterwards. */
const stages = ['/test/end-to-end/aws/', '/test/end-to-end/', ''];

const stageOf = ({ path }) => stages.findIndex((part) => path.includes(part));

/** Starts long tests first without the durations of an earlier run, which CI does not have. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => stageOf(a) - stageOf(b));
  }
}
