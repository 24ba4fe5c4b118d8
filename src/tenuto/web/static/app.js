// The modules that every page has. Everything works without them, by links and forms.
import { watch } from "./live.js";
import { keys } from "./keys.js";
import { graph } from "./graph.js";
import { closers, settle } from "./forms.js";

settle();
closers();
keys();
graph();
watch();
