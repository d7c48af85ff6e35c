import Sequencer from '@jest/test-sequencer';

/** Runs test files in the order in which the command names them. */
export default class extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => process.argv.findIndex((argument) => path.endsWith(`/${argument}`));
    return tests.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
