"""The texts of the theme's frame in Chinese, where Sphinx' own catalogue lacks them."""

CHINESE_CHROME = {
    "Skip to content": "跳到正文",
    "Back to top": "回到顶部",
    "On this page": "本页内容",
    "Next": "下一页",
    "Previous": "上一页",
    "Home": "首页",
    "Search": "搜索",
    "Error": "错误",
    "Please activate JavaScript to enable the search functionality.": "请启用 JavaScript 以使用搜索。",
}
