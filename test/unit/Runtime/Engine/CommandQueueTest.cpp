#include "CommandQueue.h"

#include <gtest/gtest.h>

#include <thread>

using namespace pagoda::rt;

TEST(CommandQueue, KeepsTheOrderOfArrival) {
  CommandQueue queue;
  EXPECT_FALSE(queue.hasCommands());
  EXPECT_TRUE(queue.push({1, std::make_unique<Request>()}));
  EXPECT_TRUE(queue.push({1, nullptr}));
  EXPECT_TRUE(queue.hasCommands());
  std::vector<Command> commands;
  EXPECT_TRUE(queue.take(commands));
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_NE(commands[0].request, nullptr);
  EXPECT_EQ(commands[1].request, nullptr);
  EXPECT_FALSE(queue.hasCommands());
}

TEST(CommandQueue, WhatWasQueuedBeforeClosingIsStillTaken) {
  CommandQueue queue;
  EXPECT_TRUE(queue.push({1, nullptr}));
  queue.close();
  EXPECT_FALSE(queue.push({2, nullptr}));
  EXPECT_TRUE(queue.wait());
  std::vector<Command> commands;
  EXPECT_FALSE(queue.take(commands));
  EXPECT_EQ(commands.size(), 1u);
  EXPECT_FALSE(queue.wait());
}

TEST(CommandQueue, ASleeperWakesForCommandsAndForTheEnd) {
  CommandQueue queue;
  int woken = 0;
  std::thread sleeper([&] {
    std::vector<Command> commands;
    while (queue.wait()) {
      queue.take(commands);
      woken += int(commands.size());
      commands.clear();
    }
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(queue.push({i, nullptr}));
  queue.close();
  sleeper.join();
  EXPECT_EQ(woken, 100);
}
