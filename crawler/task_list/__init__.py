"""The rooms behind `crawler.tasks`: what a task list may say, how it is read, edited and published."""
