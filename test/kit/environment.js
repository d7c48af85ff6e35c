/**
 * The environment of jest for Node, with ordinary global names. Otherwise each use of a global, such as `Object`, calls
 * an interceptor of the context and a proxy of jest, which takes a third of the time of tests that compute much.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;
vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);

export default TestEnvironment;
