import Environment from '../kit/jest/environment.js';

/** Skips the rest of a file once a test has failed: one is enough to notice a change. */
export default class extends Environment {
  #hasFailed = false;

  async handleTestEvent(event) {
    const { name, test } = event;
    if (name === 'test_fn_failure') this.#hasFailed = true;
    if (name === 'test_start' && this.#hasFailed) test.mode = 'skip';
    await super.handleTestEvent(event);
  }
}
