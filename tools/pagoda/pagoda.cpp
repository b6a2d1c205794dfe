// The program that people use: compiles models, runs and inspects artifacts.

#include "pagoda/Tools/Cli.h"

int main(int argc, char **argv) { return pagoda::pagodaMain(argc, argv); }
